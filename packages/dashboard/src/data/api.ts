/**
 * Functions that call the service. Their types come from the descriptions of the operations, so a wrong path, method,
 * parameter or field does not compile. A refusal is thrown as `ApiError` with the service's code and words. If the
 * service cannot be reached, an `ApiError` with status 0 and code `offline` is thrown.
 */
import type {
  ActionState,
  BundleFinding,
  DeliveryState,
  NewAction,
  NewRollout,
  NewView,
  Operations,
  Role,
  RolloutKind,
  SignInAnswer,
  WishOfMany,
} from '@svc/api'
import { serviceTimeHeader } from '@svc/api/clock'
import { leftOffHeader } from '@svc/api/left-off'
import { refusedHeader } from '@svc/api/refused'
import { answerTimeIs, serviceHeard } from '../ui/time/service-time.ts'
import { noteLeftOff } from './left-off.ts'
import { inTime, inTurn, uploadWithin } from './waiting.ts'

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** Everything that is wrong with a bundle that the service refused, with file and line; empty for other refusals. */
  readonly findings: readonly BundleFinding[]
  constructor(status: number, code: string, message: string, findings: readonly BundleFinding[] = []) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.findings = findings
  }
}

/** True if the service refused a request with this HTTP status. */
export const isRefusal = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.status === status

type Values = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Makes a query string such as `?a=1&b=2` from values. Empty texts, false, null and undefined are left out. */
function query(values: Values): string {
  const pairs = Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== '' && v !== false)
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([k, v]) => [k, String(v)]))}`
}

/** The routes of uploads, which `call` does not accept: an upload is not JSON, so `send` handles it. */
type Uploads = 'POST /w/:slug/blueprints'
/** The routes that the browser opens by their address instead of `call`: downloads, and the stream of events. */
type Opened =
  | 'GET /w/:slug/events'
  | 'GET /w/:slug/agents/:name/runs/export'
  | 'GET /w/:slug/agents/:name/logs/:id/download'
  | 'GET /w/:slug/blueprints/:blueprint/versions/:version/bundle'
type Route = Exclude<keyof Operations, Uploads | Opened>
type Sent<R extends Route> = Operations[R]['sent']
/** The arguments of `call` for a route: path parameters, input, and a signal that aborts the request. */
type Arguments<R extends Route> = [
  ...(unknown extends Operations[R]['params'] ? [] : [at: Operations[R]['params']]),
  ...(Sent<R> extends undefined ? [] : Partial<Sent<R>> extends Sent<R> ? [input?: Sent<R>] : [input: Sent<R>]),
  signal?: AbortSignal | undefined,
]

/**
 * Calls an operation of the service. The input of a GET is sent as the query string, the input of other methods as
 * JSON.
 */
export function call<R extends Route>(route: R, ...given: Arguments<R>): Promise<Operations[R]['given']> {
  const [method = '', path = ''] = route.split(' ')
  const rest: unknown[] = [...given]
  const at = (path.includes(':') ? rest.shift() : {}) as Readonly<Record<string, string>>
  const input = rest[0] instanceof AbortSignal ? undefined : rest.shift()
  const signal = rest[0] as AbortSignal | undefined
  const address = addressOf(path, at)
  if (method === 'GET') return request(method, `${address}${query((input ?? {}) as Values)}`, undefined, signal)
  const send = () =>
    request<Operations[R]['given']>(method, address, method === 'DELETE' ? undefined : (input ?? {}), signal)
  return path === '/proof' ? send() : provedIfAsked(send)
}

let ask: (() => Promise<boolean>) | undefined
let asking: Promise<boolean> | undefined

/** Sets how the person is asked for a proof. The function returns true if the person gave one. */
export function askForProofBy(how: () => Promise<boolean>): void {
  ask = how
}

/**
 * Sends a request. If the service wants a proof of who the person is, the person is asked for it, and the request is
 * sent again. Requests that need a proof at the same time ask only once.
 */
async function provedIfAsked<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'proof_required' || !ask) throw error
    asking ??= ask().finally(() => {
      asking = undefined
    })
    if (await asking) return await send()
    throw new ApiError(error.status, error.code, 'Nothing was changed, because it needs a proof of who you are.')
  }
}

/** The address of a download, or of the stream of events, with its path parameters and its query string filled in. */
export const addressFor = <R extends Opened>(
  route: R,
  at: Operations[R]['params'],
  asked: Partial<Operations[R]['sent']> = {},
) => `${addressOf(route.slice('GET '.length), at)}${query(asked as Values)}`

/** The address of a route, with its path parameters filled in. */
const addressOf = (path: string, at: Readonly<Record<string, string>>) =>
  `/api/web${path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(at[name] ?? ''))}`

/** The headers of every request of the page. */
const asked = { accept: 'application/json', [refusedHeader]: '200' } as const

/** The status of an answer. A refusal that was sent with status 200 has its status in a header. */
const statusOf = (status: number, header: string | null): number => (header === null ? status : Number(header))

async function request<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const limit = inTime(signal)
  let status: number
  let text: string
  let leftOff: string | null
  try {
    const response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: { ...asked, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: limit,
    })
    hearTime(response.headers.get(serviceTimeHeader))
    status = statusOf(response.status, response.headers.get(refusedHeader))
    leftOff = response.headers.get(leftOffHeader)
    text = await response.text()
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw limit.aborted ? late() : offline()
  }
  return noteLeftOff(read<T>(status, text), Number(leftOff ?? 0))
}

/** Takes over the service's time from the header of an answer, before anything is judged by what the answer says. */
function hearTime(header: string | null): void {
  const at = Number(header)
  if (at > 0 && Number.isSafeInteger(at)) answerTimeIs(at)
}

/** Returns the value of the service's answer. Throws an ApiError if the answer is a refusal. */
function read<T>(status: number, text: string): T {
  serviceHeard()
  const value = parsed(text)
  if (status < 200 || status > 299) throw refusal(status, value)
  return value as T
}

const offline = () => new ApiError(0, 'offline', 'Could not reach the service. Check your connection and try again.')
const late = () =>
  new ApiError(0, 'offline', 'The service did not answer in time. Look whether your change was made, and try again.')

/**
 * Sends a file by XMLHttpRequest, which is the only way in which browsers report upload progress. The function `sent`
 * is called with the share from 0 to 1 that was sent.
 */
function send<T>(path: string, file: Blob, sent: (share: number) => void): Promise<T> {
  return new Promise((done, fail) => {
    sent(0)
    const request = new XMLHttpRequest()
    request.timeout = uploadWithin
    request.ontimeout = () => fail(late())
    request.open('POST', path)
    for (const [name, value] of Object.entries(asked)) request.setRequestHeader(name, value)
    request.setRequestHeader('content-type', 'application/zip')
    request.upload.onprogress = ({ loaded, total }) => total > 0 && sent(loaded / total)
    request.onerror = () => fail(offline())
    request.onload = () => {
      hearTime(request.getResponseHeader(serviceTimeHeader))
      try {
        done(read<T>(statusOf(request.status, request.getResponseHeader(refusedHeader)), request.responseText))
      } catch (error) {
        fail(error)
      }
    }
    request.send(file)
  })
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Makes an error from the body of a refusal, which is `{error: {code, message}}`, or `{code, message}` if the accounts
 * library refused.
 */
function refusal(status: number, value: unknown): ApiError {
  const outer = (value ?? {}) as { error?: unknown; code?: unknown; message?: unknown; findings?: unknown }
  const inner = (typeof outer.error === 'object' && outer.error !== null ? outer.error : outer) as typeof outer
  const message =
    typeof inner.message === 'string' && inner.message !== ''
      ? inner.message
      : `The service answered ${status} without saying why. Try again in a moment.`
  return new ApiError(
    status,
    typeof inner.code === 'string' ? inner.code : `status_${status}`,
    message,
    Array.isArray(inner.findings) ? (inner.findings as BundleFinding[]) : [],
  )
}

/** The query for the fleet list, without `offset` and `limit`, which say which rows are wanted. */
export type FleetQuery = Omit<Sent<'GET /w/:slug/fleet'>, 'offset' | 'limit'>
/** A command as the page sends it (3.2). */
export type SentCommand = Sent<'POST /w/:slug/agents/:name/commands'>
const versionPath = '/w/:slug/blueprints/:blueprint/versions/:version'
type Signal = AbortSignal | undefined

export const api = {
  door: (s?: Signal) => call('GET /door', s),
  me: (s?: Signal) => call('GET /me', s),
  rename: (name: string) => call('PATCH /me', { name }),
  setOnboarding: (onboarding: boolean) => call('PATCH /me', { onboarding }),
  sessions: (s?: Signal) => call('GET /sessions', s),
  signIns: (s?: Signal) => call('GET /sign-ins', s),
  endSession: (id: string) => call('DELETE /sessions/:id', { id }),
  endOtherSessions: () => call('DELETE /sessions'),
  changePassword: (current: string, next: string) => call('POST /password', { current, next }),
  startInfo: (token: string, s?: Signal) => call('GET /start', { token }, s),
  start: (body: Sent<'POST /start'>) => call('POST /start', body),
  spendLink: (token: string) => call('POST /link', { token }),
  claimInfo: (token: string, s?: Signal) => call('GET /claim', { token }, s),
  forgot: (email: string) => call('POST /forgot', { email }),
  claim: (body: Sent<'POST /claim'>) => call('POST /claim', body),
  invitation: (id: string, s?: Signal) => call('GET /invitations/:id', { id }, s),
  accept: (id: string, body: Sent<'POST /invitations/:id'>) => call('POST /invitations/:id', { id }, body),

  secondFactor: (given: Sent<'POST /second-factor'>) => call('POST /second-factor', given),
  factors: (s?: Signal) => call('GET /factors', s),
  beginTotp: () => call('POST /factors/totp'),
  confirmTotp: (code: string) => call('POST /factors/totp/confirm', { code }),
  newRecoveryCodes: () => call('POST /factors/recovery'),
  removeTotp: () => call('DELETE /factors/totp'),
  prove: (given: Sent<'POST /proof'>) => call('POST /proof', given),

  createWorkspace: (name: string, slug: string) => call('POST /workspaces', { name, slug }),
  workspace: (slug: string, s?: Signal) => call('GET /w/:slug', { slug }, s),
  renameWorkspace: (slug: string, name: string) => call('PATCH /w/:slug', { slug }, { name }),
  deleteWorkspace: (slug: string) => call('DELETE /w/:slug', { slug }),
  requireFactor: (slug: string, factorFrom: number | null) => call('PATCH /w/:slug', { slug }, { factorFrom }),
  fleet: (slug: string, asked: Sent<'GET /w/:slug/fleet'>, s?: Signal) =>
    call('GET /w/:slug/fleet', { slug }, asked, s),
  facets: (slug: string, q: string, s?: Signal) => call('GET /w/:slug/fleet/facets', { slug }, { q }, s),
  agentNames: (slug: string, q: string) => call('GET /w/:slug/fleet/names', { slug }, { q }),
  actions: (slug: string, before: string | undefined, limit: number, s?: Signal) =>
    call('GET /w/:slug/actions', { slug }, { before, limit }, s),
  views: (slug: string, s?: Signal) => call('GET /w/:slug/views', { slug }, s),
  saveView: (slug: string, view: NewView) => call('PUT /w/:slug/views', { slug }, view),
  removeView: (slug: string, id: string) => call('DELETE /w/:slug/views/:id', { slug, id }),
  action: (slug: string, id: string, state?: ActionState, s?: Signal) =>
    call('GET /w/:slug/actions/:id', { slug, id }, { state }, s),
  actionOffers: (slug: string, asked: Sent<'POST /w/:slug/actions/offers'>, s?: Signal) =>
    call('POST /w/:slug/actions/offers', { slug }, asked, s),
  previewAction: (slug: string, action: NewAction) => call('POST /w/:slug/actions/preview', { slug }, action),
  startAction: (slug: string, action: NewAction) => call('POST /w/:slug/actions', { slug }, action),
  retryAction: (slug: string, id: string) => call('POST /w/:slug/actions/:id/retry', { slug, id }),
  cancelAction: (slug: string, id: string) => call('POST /w/:slug/actions/:id/cancel', { slug, id }),
  members: (slug: string, s?: Signal) => call('GET /w/:slug/members', { slug }, s),
  invite: (slug: string, invitation: Sent<'POST /w/:slug/invitations'>) =>
    call('POST /w/:slug/invitations', { slug }, invitation),
  invitationLink: (slug: string, id: string) => call('POST /w/:slug/invitations/:id/link', { slug, id }),
  uninvite: (slug: string, id: string) => call('DELETE /w/:slug/invitations/:id', { slug, id }),
  setRole: (slug: string, id: string, role: Role) => call('PATCH /w/:slug/members/:id', { slug, id }, { role }),
  removeMember: (slug: string, id: string) => call('DELETE /w/:slug/members/:id', { slug, id }),
  activity: (slug: string, before: number | undefined, limit: number, s?: Signal) =>
    call('GET /w/:slug/activity', { slug }, { before, limit }, s),

  blueprints: (slug: string, s?: Signal) => call('GET /w/:slug/blueprints', { slug }, s),
  blueprint: (slug: string, blueprint: string, s?: Signal) =>
    call('GET /w/:slug/blueprints/:blueprint', { slug, blueprint }, s),
  version: (slug: string, blueprint: string, version: string, s?: Signal) =>
    call(`GET ${versionPath}`, { slug, blueprint, version }, s),
  deleteVersion: (slug: string, blueprint: string, version: string) =>
    call(`DELETE ${versionPath}`, { slug, blueprint, version }),
  codes: (slug: string, s?: Signal) => call('GET /w/:slug/codes', { slug }, s),
  code: (slug: string, id: string, s?: Signal) => call('GET /w/:slug/codes/:id', { slug, id }, s),
  issueCode: (slug: string, body: Sent<'POST /w/:slug/codes'>) => call('POST /w/:slug/codes', { slug }, body),
  revokeCode: (slug: string, id: string) => call('DELETE /w/:slug/codes/:id', { slug, id }),
  bots: (slug: string, s?: Signal) => call('GET /w/:slug/bots', { slug }, s),
  revokeBot: (slug: string, id: string) => call('POST /w/:slug/bots/:id/revoke', { slug, id }),
  revokeBotToken: (slug: string, id: string, token: string) =>
    call('POST /w/:slug/bots/:id/tokens/:token/revoke', { slug, id, token }),
  deleteBot: (slug: string, id: string) => call('DELETE /w/:slug/bots/:id', { slug, id }),
  products: (slug: string, s?: Signal) => call('GET /w/:slug/products', { slug }, s),

  addAgent: (slug: string, agent: Sent<'POST /w/:slug/agents'>) => call('POST /w/:slug/agents', { slug }, agent),
  agent: (slug: string, name: string, s?: Signal) => call('GET /w/:slug/agents/:name', { slug, name }, s),
  renameAgent: (slug: string, name: string, to: string) =>
    call('PATCH /w/:slug/agents/:name', { slug, name }, { name: to }),
  deleteAgent: (slug: string, name: string) => call('DELETE /w/:slug/agents/:name', { slug, name }),
  rotateToken: (slug: string, name: string) => call('POST /w/:slug/agents/:name/token', { slug, name }),
  runs: (slug: string, name: string, q: Sent<'GET /w/:slug/agents/:name/runs'>, s?: Signal) =>
    call('GET /w/:slug/agents/:name/runs', { slug, name }, q, s),
  usage: (slug: string, name: string, days: number, s?: Signal) =>
    call('GET /w/:slug/agents/:name/usage', { slug, name }, { days }, s),
  levels: (slug: string, name: string, limit: number, s?: Signal) =>
    call('GET /w/:slug/agents/:name/levels', { slug, name }, { limit }, s),
  commands: (slug: string, name: string, part: { offset: number; limit: number }, s?: Signal) =>
    call('GET /w/:slug/agents/:name/commands', { slug, name }, part, s),
  sendCommand: (slug: string, name: string, command: SentCommand) =>
    call('POST /w/:slug/agents/:name/commands', { slug, name }, command),
  sendAgain: (slug: string, name: string, id: string) =>
    call('POST /w/:slug/agents/:name/commands/:id/again', { slug, name, id }),
  logs: (slug: string, name: string, s?: Signal) => call('GET /w/:slug/agents/:name/logs', { slug, name }, s),
  log: (slug: string, name: string, id: string, s?: Signal) =>
    call('GET /w/:slug/agents/:name/logs/:id', { slug, name, id }, s),

  updates: (slug: string, name: string, limit: number, s?: Signal) =>
    call('GET /w/:slug/agents/:name/updates', { slug, name }, { limit }, s),
  wishVersion: (slug: string, name: string, version: string) =>
    call('PUT /w/:slug/agents/:name/wishes/blueprint', { slug, name }, { version }),
  withdraw: (slug: string, name: string, kind: RolloutKind) =>
    call(`DELETE /w/:slug/agents/:name/wishes/${kind}`, { slug, name }),
  updateRuntime: (slug: string, name: string) => call('POST /w/:slug/agents/:name/wishes/runtime', { slug, name }),
  liftHold: (slug: string, name: string) => call('DELETE /w/:slug/agents/:name/holds/runtime', { slug, name }),
  updateMany: (slug: string, wish: WishOfMany) => call('POST /w/:slug/wishes', { slug }, wish),
  runtime: (slug: string, s?: Signal) => call('GET /w/:slug/runtime', { slug }, s),
  rollouts: (slug: string, before: string | undefined, limit: number, s?: Signal) =>
    call('GET /w/:slug/rollouts', { slug }, { before, limit }, s),
  rollout: (slug: string, id: string, s?: Signal) => call('GET /w/:slug/rollouts/:id', { slug, id }, s),
  previewRollout: (slug: string, rollout: NewRollout) => call('POST /w/:slug/rollouts/preview', { slug }, rollout),
  startRollout: (slug: string, rollout: NewRollout) => call('POST /w/:slug/rollouts', { slug }, rollout),
  pauseRollout: (slug: string, id: string) => call('POST /w/:slug/rollouts/:id/pause', { slug, id }),
  continueRollout: (slug: string, id: string) => call('POST /w/:slug/rollouts/:id/continue', { slug, id }),
  cancelRollout: (slug: string, id: string, withdraw: boolean) =>
    call('POST /w/:slug/rollouts/:id/cancel', { slug, id }, { withdraw }),

  alertLines: (slug: string, q: Sent<'GET /w/:slug/alerts/lines'>, s?: Signal) =>
    call('GET /w/:slug/alerts/lines', { slug }, q, s),
  agentAlerts: (slug: string, name: string, s?: Signal) =>
    call('GET /w/:slug/agents/:name/alerts', { slug, name }, {}, s),
  acknowledge: (slug: string, id: string, note: string) =>
    call('POST /w/:slug/alerts/:id/acknowledge', { slug, id }, note === '' ? {} : { note }),
  acknowledgeMany: (slug: string, ids: string[], note: string) =>
    call('POST /w/:slug/alerts/acknowledge', { slug }, note === '' ? { ids } : { ids, note }),
  mutes: (slug: string, s?: Signal) => call('GET /w/:slug/mutes', { slug }, s),
  mute: (slug: string, mute: Sent<'POST /w/:slug/mutes'>) => call('POST /w/:slug/mutes', { slug }, mute),
  liftMute: (slug: string, id: string) => call('DELETE /w/:slug/mutes/:id', { slug, id }),
  rules: (slug: string, s?: Signal) => call('GET /w/:slug/rules', { slug }, s),
  setRule: (slug: string, rule: Sent<'PATCH /w/:slug/rules'>) => call('PATCH /w/:slug/rules', { slug }, rule),
  alertSettings: (slug: string, s?: Signal) => call('GET /w/:slug/alert-settings', { slug }, s),
  setAlertSettings: (slug: string, detail: boolean) => call('PATCH /w/:slug/alert-settings', { slug }, { detail }),
  agentHours: (slug: string, name: string, s?: Signal) => call('GET /w/:slug/agents/:name/hours', { slug, name }, s),
  setAgentHours: (slug: string, name: string, hours: string | null) =>
    call('PUT /w/:slug/agents/:name/hours', { slug, name }, { hours }),
  channels: (slug: string, s?: Signal) => call('GET /w/:slug/channels', { slug }, s),
  addChannel: (slug: string, channel: Sent<'POST /w/:slug/channels'>) =>
    call('POST /w/:slug/channels', { slug }, channel),
  testChannel: (slug: string, channel: string) => call('POST /w/:slug/channels/:channel/test', { slug, channel }),
  channelTest: (slug: string, channel: string, id: string) =>
    call('GET /w/:slug/channels/:channel/tests/:id', { slug, channel, id }),
  enableChannel: (slug: string, channel: string) => call('POST /w/:slug/channels/:channel/enable', { slug, channel }),
  disableChannel: (slug: string, channel: string) => call('POST /w/:slug/channels/:channel/disable', { slug, channel }),
  removeChannel: (slug: string, channel: string) => call('DELETE /w/:slug/channels/:channel', { slug, channel }),
  myChannels: (slug: string, s?: Signal) => call('GET /w/:slug/my-channels', { slug }, s),
  addMyChannel: (slug: string, channel: Sent<'POST /w/:slug/my-channels'>) =>
    call('POST /w/:slug/my-channels', { slug }, channel),
  setMyChannel: (slug: string, channel: string, change: Sent<'PATCH /w/:slug/my-channels/:channel'>) =>
    call('PATCH /w/:slug/my-channels/:channel', { slug, channel }, change),
  testMyChannel: (slug: string, channel: string) => call('POST /w/:slug/my-channels/:channel/test', { slug, channel }),
  myChannelTest: (slug: string, channel: string, id: string) =>
    call('GET /w/:slug/my-channels/:channel/tests/:id', { slug, channel, id }),
  removeMyChannel: (slug: string, channel: string) => call('DELETE /w/:slug/my-channels/:channel', { slug, channel }),
  deliveries: (slug: string, state: DeliveryState | undefined, s?: Signal) =>
    call('GET /w/:slug/deliveries', { slug }, { state, limit: 200 }, s),
  retryDelivery: (slug: string, id: string) => call('POST /w/:slug/deliveries/:id/retry', { slug, id }),

  // The requests that `call` cannot make: two routes of the accounts library, an upload, and two downloads.
  signIn: (email: string, password: string) =>
    request<SignInAnswer>('POST', '/api/auth/sign-in/email', { email, password }),
  signOut: () => request('POST', '/api/auth/sign-out', {}),
  upload: (slug: string, zip: Blob, sent: (share: number) => void) =>
    inTurn(() =>
      provedIfAsked(() => send<Operations[Uploads]['given']>(addressOf('/w/:slug/blueprints', { slug }), zip, sent)),
    ),
  /** The address from which the zip of a version of a blueprint is downloaded. */
  bundleDownload: (slug: string, blueprint: string, version: string) =>
    addressFor(`GET ${versionPath}/bundle`, { slug, blueprint, version }),
  /** The address from which the kept runs of an agent that fit a filter are downloaded as CSV. */
  runsDownload: (slug: string, name: string, q: Operations['GET /w/:slug/agents/:name/runs/export']['sent']) =>
    addressFor('GET /w/:slug/agents/:name/runs/export', { slug, name }, q),
  /** The address from which a log is downloaded as a file. */
  logDownload: (slug: string, name: string, id: string) =>
    addressFor('GET /w/:slug/agents/:name/logs/:id/download', { slug, name, id }),
} as const
