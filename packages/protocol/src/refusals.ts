/**
 * The refusals that the contract defines (7, 3.4), each with its code, HTTP status, and a message for people. Programs
 * read the code, which never changes. The body of the response is `{ "error": { "code": …, "message": … } }`.
 */
export const refusals = {
  // The code `request_invalid` is also sent with the HTTP statuses 408 and 431.
  request_invalid: [400, 'The request is not valid HTTP.'],
  body_invalid: [400, 'The body is not valid.'],
  // A missing, unknown, rotated or deleted token gets the same refusal (D22).
  token_unknown: [401, 'A valid agent token is needed.'],
  workspace_inactive: [403, 'The workspace is not activated for this service.'],
  not_found: [404, 'There is nothing at this address.'],
  // An unknown command and a command of another agent get the same refusal (D7).
  command_unknown: [404, 'There is no such command.'],
  // An unknown version and a version of another blueprint get the same refusal.
  version_unknown: [404, 'There is no such version.'],
  // An unknown, expired or used install code gets the same refusal (5, rule 5).
  code_unknown: [404, 'There is no such install code.'],
  product_inactive: [403, 'A bound product is not activated for the workspace.'],
  issuer_not_allowed: [403, 'The person who issued the code may no longer install agents.'],
  bots_too_many: [409, 'The workspace would hold more than ten bots.'],
  bot_role_differs: [409, 'A bot of that name exists with another role.'],
  agents_too_many: [409, 'The workspace has as many agents as it may.'],
  agent_name_taken: [409, 'The workspace already has an agent of that name.'],
  svc_too_old: [409, 'The version needs a newer svc than this one.'],
  runtime_not_served: [409, 'The service has no runtime build.'],
  runtime_too_old: [409, "The agent's runtime reports no runtime version."],
  runtime_up_to_date: [409, 'The runtime already runs the served version.'],
  runtime_pinned: [409, 'The runtime is pinned to another version.'],
  runtime_version_held: [409, 'The version is held until the service serves another release.'],
  body_too_large: [413, 'The body is larger than this route accepts.'],
  rate_limited: [429, 'Too many calls; try again later.'],
  unavailable: [503, 'The service is busy or its database is not there; try again later.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type RefusalCode = keyof typeof refusals

export const refusalCodes = Object.keys(refusals) as RefusalCode[]
export const httpStatusOf = (code: RefusalCode): number => refusals[code][0]

/** Returns the body of a refusal (7). */
export const refusalJson = (code: string, message: string) => ({ error: { code, message } })

/**
 * The result of a check: a value, or a refusal with its code and message. A refusal is a normal result, so it is
 * returned and not thrown.
 */
export type Verdict<T, Code extends string = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: Code; readonly message: string }
