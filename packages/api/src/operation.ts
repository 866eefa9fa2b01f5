/**
 * Describes an operation of the service: its route, who may use it, its input and answer, its effect, and which open
 * pages are notified. The service's routes, the page's client, the commands of `svc-server` with their help, and tables
 * in the documents are derived from these descriptions.
 */
import type { RowLimit } from './bounds.ts'
import type { Reader } from './input.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** The route of an operation: its method, and its path below `/api/web`, such as `POST /w/:slug/agents`. */
export type Route = `${Method} /${string}`

/** The parameters in a route's path. */
export type ParamsOf<R extends string> = R extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<`/${Rest}`>
  : R extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : unknown

/**
 * Who may use an operation: anybody at all, anybody with the link that the request names, anybody signed in, a member
 * of the workspace in the address, or an admin of it.
 */
export type AccessRight = 'anybody' | 'link' | 'person' | 'member' | 'admin'

/**
 * A kind of change of which open pages are notified: `list` means the lists of the workspace, `agent` the page of an
 * agent, `report` an agent's row, and `alerts` the alerts, rules, channels and mutes. After a change of `rights`, the
 * service closes the streams of people who may no longer read them.
 */
export type PageNotice = 'list' | 'agent' | 'report' | 'alerts' | 'rights'
interface NoAudit {
  none: string
}

/** The facts about a request by which an operation decides whether it needs a proof. */
interface ProofFacts {
  params: Readonly<Record<string, string>>
  /** The id of the caller's membership in the workspace of the address; undefined outside of workspaces. */
  membership: string | undefined
}
/**
 * Decides by the input whether an operation needs a proof. `when` describes these cases, such as `if the role is
 * admin`. `says` replaces `Operation.says` in the question for the proof.
 */
interface ProofWhen<Read = unknown> {
  (input: Read, facts: ProofFacts): boolean
  readonly when: string
  readonly says: string | undefined
}
/** True if an operation always needs a proof; otherwise the function that decides. */
export type ProofRule<Read = unknown> = true | ProofWhen<Read>

/** Makes the rule for an operation that needs a proof only in some cases. */
export const proofIf = <Read = unknown>(
  when: string,
  decides: (input: Read, facts: ProofFacts) => boolean,
  says?: string,
): ProofWhen<Read> => Object.assign((input: Read, facts: ProofFacts) => decides(input, facts), { when, says })

/** The records and announcements of an operation that changes something. */
export interface ChangeRules {
  /** The kinds of lines that the operation adds to the activity, such as `agent.created`; or why it adds none. */
  audit: readonly string[] | NoAudit
  pages: readonly PageNotice[] | NoAudit
  /**
   * The effect of sending the same request again: nothing changes (`same`), it is refused (`refused`), or the operation
   * is done once more (`new`).
   */
  again: 'same' | 'refused' | 'new'
  /** The rows that the operation adds; null if it changes or deletes rows, or adds only lines of the activity. */
  adds: RowLimit | null
}

/** How an operation is called as a command of `svc-server`. */
interface CommandWords {
  /** The name of the command, such as `agent create`. */
  name: string
  /** The name that the command had in earlier versions. It still works, but the help does not show it. */
  formerly?: string
  /** The effect of the command, if it is less than that of the operation; by default `says` of the operation. */
  says?: string
  /** The positional arguments, such as `<slug>` or `[values...]`, each with its explanation. */
  args?: readonly (readonly [name: string, says: string])[]
  /** The options, such as `--name <name>`, each with its explanation. */
  options?: readonly (readonly [flags: string, says: string])[]
}

type LargeBody = 'refused' | 'newest' | { whole: string }

/** The description of an operation. */
export interface Operation<R extends Route = Route, Read = unknown, Sent = unknown, Given = unknown> {
  readonly route: R
  readonly right: AccessRight
  /**
   * Reads the input of the operation: the query of a GET, or the JSON of any other request. Undefined if the operation
   * takes no input.
   */
  readonly input: Reader<Read, Sent> | undefined
  /** The maximum size of the request's body, if the usual 64 KB are not enough. */
  readonly maxBytes?: number
  /** True if a request may have no body, as in earlier versions. A missing body counts as `{}`. */
  readonly mayBeEmpty?: boolean
  /**
   * The treatment of an answer above 1 MB. By default the last rows are left off. With `newest` the first rows are left
   * off, with `refused` there is no answer, and with `whole`, which gives the reason, all rows are sent.
   */
  readonly large?: LargeBody
  /** The effect of the operation, as the help of its command describes it. */
  readonly says: string
  readonly status: 200 | 201
  /** How the operation's change is recorded and announced; undefined if the operation changes nothing. */
  readonly change: ChangeRules | undefined
  /** The cases in which the operation needs a proof (`POST /proof`); undefined if it never does. */
  readonly proof: ProofRule | undefined
  readonly command: CommandWords | undefined
  /** True if the path may have an earlier name of the agent. */
  readonly oldNames?: boolean
  /** The reason why the route is written by hand; undefined if the route is derived from this description. */
  readonly manual?: string
  /** This property is never set. It only tells the compiler the type of the operation's answer. */
  readonly gives?: Given
}

interface OperationWords {
  says: string
  right?: AccessRight
  large?: LargeBody
  command?: CommandWords
  manual?: string
}

/** Describes an operation that changes nothing. */
export const reading =
  <Given>() =>
  <const R extends Route, Read = undefined, Sent = Read>(
    route: R,
    {
      right = 'member',
      input,
      large,
      says,
      command,
      manual,
      oldNames = false,
    }: OperationWords & { input?: Reader<Read, Sent>; oldNames?: boolean },
  ): Operation<R, Read, Sent, Given> => ({
    route,
    right,
    input,
    ...(large !== undefined && { large }),
    says,
    status: 200,
    change: undefined,
    proof: undefined,
    command,
    oldNames,
    ...(manual !== undefined && { manual }),
  })

/** Describes an operation that changes something. */
export const change =
  <Given>() =>
  <const R extends Route, Read = undefined, Sent = Read>(
    route: R,
    {
      right = 'admin',
      input,
      maxBytes,
      mayBeEmpty,
      large,
      says,
      command,
      manual,
      makes = false,
      proof,
      audit,
      pages,
      again,
      adds,
    }: OperationWords &
      ChangeRules & {
        input?: Reader<Read, Sent>
        maxBytes?: number
        mayBeEmpty?: boolean
        makes?: boolean
        proof?: ProofRule<Read>
      },
  ): Operation<R, Read, Sent, Given> => ({
    route,
    right,
    input,
    ...(maxBytes !== undefined && { maxBytes }),
    ...(mayBeEmpty !== undefined && { mayBeEmpty }),
    ...(large !== undefined && { large }),
    says,
    status: makes ? 201 : 200,
    change: { audit, pages, again, adds },
    proof: proof as ProofRule | undefined,
    command,
    ...(manual !== undefined && { manual }),
  })

/** The type of an operation's input as a caller sends it. */
export type SentInputOf<O> = O extends Operation<infer _R, infer _I, infer Sent, infer _G> ? Sent : never
/** The type of an operation's answer. */
export type AnswerOf<O> = O extends Operation<infer _R, infer _I, infer _S, infer Given> ? Given : never
/** The type of an operation's route. */
export type RouteOf<O> = O extends Operation<infer R, infer _I, infer _S, infer _G> ? R : never
