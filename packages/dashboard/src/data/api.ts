/**
 * Functions that call the service. Their types come from the descriptions of the operations, so a wrong path, method,
 * parameter or field does not compile. A refusal is thrown as `ApiError` with the service's code and words. If the
 * service cannot be reached, an `ApiError` with status 0 and code `offline` is thrown.
 */
import type { BundleFinding, Operations, SignInAnswer } from '@svc/api'
import { serviceTimeHeader } from '@svc/api/clock'
import { leftOffHeader } from '@svc/api/left-off'
import { refusedHeader } from '@svc/api/refused'
import { noteAnswerTime, noteServiceHeard } from '../ui/time/service-time.ts'
import { noteLeftOff } from './left-off.ts'

/** A refusal of the service, or a request without an answer. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** Everything that is wrong with a bundle that the service refused, with file and line; empty for other refusals. */
  readonly findings: readonly BundleFinding[]
  /** The act that needs a proof of who the person is, such as `delete a workspace`; undefined for other refusals. */
  act?: string | undefined
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

type QueryValues = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Makes a query string such as `?a=1&b=2` from values. Empty texts, false, null and undefined are left out. */
function query(values: QueryValues): string {
  const pairs = Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== '' && v !== false)
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([k, v]) => [k, String(v)]))}`
}

/** The routes of uploads, which `call` does not accept, because they do not take JSON. Use `uploadBundle`. */
type Uploads = 'POST /w/:slug/blueprints'
/** The routes that the browser opens by their address instead of `call`: downloads, and the stream of events. */
type OpenedRoute =
  | 'GET /w/:slug/events'
  | 'GET /w/:slug/agents/:name/runs/export'
  | 'GET /w/:slug/history/cost/export'
  | 'GET /w/:slug/activity/export'
  | 'GET /w/:slug/agents/:name/logs/:id/download'
  | 'GET /w/:slug/blueprints/:blueprint/versions/:version/bundle'
type Route = Exclude<keyof Operations, Uploads | OpenedRoute>
/** The routes that `call` reads with GET. */
export type ReadRoute = Extract<Route, `GET ${string}`>
type SentInput<R extends Route> = Operations[R]['sent']
/** The arguments of `call` for a route: path parameters, input, and a signal that aborts the request. */
export type CallArguments<R extends Route> = [
  ...(unknown extends Operations[R]['params'] ? [] : [at: Operations[R]['params']]),
  ...(SentInput<R> extends undefined
    ? []
    : Partial<SentInput<R>> extends SentInput<R>
      ? [input?: SentInput<R>]
      : [input: SentInput<R>]),
  signal?: AbortSignal | undefined,
]

/**
 * Calls an operation of the service. The input of a GET is sent as the query string, and that of other methods as JSON.
 * A DELETE sends no input.
 */
export function call<R extends Route>(route: R, ...given: CallArguments<R>): Promise<Operations[R]['given']> {
  const [method = '', path = ''] = route.split(' ')
  const rest: unknown[] = [...given]
  const at = (path.includes(':') ? rest.shift() : {}) as Readonly<Record<string, string>>
  const input = rest[0] instanceof AbortSignal ? undefined : rest.shift()
  const signal = rest[0] as AbortSignal | undefined
  const address = addressOf(path, at)
  if (method === 'GET') return request(method, `${address}${query((input ?? {}) as QueryValues)}`, undefined, signal)
  const send = () =>
    request<Operations[R]['given']>(method, address, method === 'DELETE' ? undefined : (input ?? {}), signal)
  return path === '/proof' ? send() : provedIfAsked(send)
}

let ask: ((act?: string) => Promise<boolean>) | undefined
let asking: Promise<boolean> | undefined

/** Sets the function that asks the person for a proof. It resolves with true if the person gave one. */
export function askForProofBy(how: (act?: string) => Promise<boolean>): void {
  ask = how
}

/**
 * Sends a request. If the service requires a proof, the person is asked for one, and the request is sent again. If
 * several requests need a proof at the same time, the person is asked once.
 */
async function provedIfAsked<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'proof_required' || !ask) throw error
    asking ??= ask(error.act).finally(() => {
      asking = undefined
    })
    if (await asking) return await send()
    throw new ApiError(error.status, error.code, 'Nothing was changed, because it needs a proof of who you are.')
  }
}

/** The address of a download, or of the stream of events, with its path parameters and its query string filled in. */
export const addressFor = <R extends OpenedRoute>(
  route: R,
  at: Operations[R]['params'],
  asked: Partial<Operations[R]['sent']> = {},
) => `${addressOf(route.slice('GET '.length), at)}${query(asked as QueryValues)}`

/** The address of a route, with its path parameters filled in. */
const addressOf = (path: string, at: Readonly<Record<string, string>>) =>
  `/api/web${path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(at[name] ?? ''))}`

/** The headers of every request. `refusedHeader` has the service send expected refusals with status 200. */
const asked = { accept: 'application/json', [refusedHeader]: '200' } as const

/** The status of an answer. A refusal that is sent with status 200 has its real status in `refusedHeader`. */
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
    throw limit.aborted ? timeoutError() : offline()
  }
  return noteLeftOff(valueIn<T>(status, text), Number(leftOff ?? 0))
}

/** Reads the service's time from the header of an answer. Called before the body is read, which may take long. */
function hearTime(header: string | null): void {
  const at = Number(header)
  if (at > 0 && Number.isSafeInteger(at)) noteAnswerTime(at)
}

/** Returns the value of the service's answer. Throws an ApiError if the answer is a refusal. */
function valueIn<T>(status: number, text: string): T {
  noteServiceHeard()
  const value = parsed(text)
  if (status < 200 || status > 299) throw refusal(status, value)
  return value as T
}

const offline = () => new ApiError(0, 'offline', 'Could not reach the service. Check your connection and try again.')
const timeoutError = () =>
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
    request.ontimeout = () => fail(timeoutError())
    request.open('POST', path)
    for (const [name, value] of Object.entries(asked)) request.setRequestHeader(name, value)
    request.setRequestHeader('content-type', 'application/zip')
    request.upload.onprogress = ({ loaded, total }) => total > 0 && sent(loaded / total)
    request.onerror = () => fail(offline())
    request.onload = () => {
      hearTime(request.getResponseHeader(serviceTimeHeader))
      try {
        done(valueIn<T>(statusOf(request.status, request.getResponseHeader(refusedHeader)), request.responseText))
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
  const outer = (value ?? {}) as Partial<Record<'error' | 'code' | 'message' | 'findings' | 'act', unknown>>
  const inner = (typeof outer.error === 'object' && outer.error !== null ? outer.error : outer) as typeof outer
  const message =
    typeof inner.message === 'string' && inner.message !== ''
      ? inner.message
      : `The service answered ${status} without saying why. Try again in a moment.`
  const error = new ApiError(
    status,
    typeof inner.code === 'string' ? inner.code : `status_${status}`,
    message,
    Array.isArray(inner.findings) ? (inner.findings as BundleFinding[]) : [],
  )
  if (typeof inner.act === 'string') error.act = inner.act
  return error
}

/** The query for the fleet list, without `offset` and `limit`, which say which rows are wanted. */
export type FleetQuery = Omit<SentInput<'GET /w/:slug/fleet'>, 'offset' | 'limit'>
/** A command as the page sends it (3.2). */
export type SentCommand = SentInput<'POST /w/:slug/agents/:name/commands'>
// The requests that `call` cannot make: two routes of the accounts library, and an upload.

export const signIn = (email: string, password: string) =>
  request<SignInAnswer>('POST', '/api/auth/sign-in/email', { email, password })
export const signOut = () => request('POST', '/api/auth/sign-out', {})
/**
 * Uploads a bundle. `sent` is called with the share from 0 to 1 that was sent, or with undefined while the upload waits
 * for another tab.
 */
export const uploadBundle = (slug: string, zip: Blob, sent: (share: number | undefined) => void) =>
  inTurn(
    () =>
      provedIfAsked(() => send<Operations[Uploads]['given']>(addressOf('/w/:slug/blueprints', { slug }), zip, sent)),
    () => sent(undefined),
  )

// Over HTTP/1.1 all tabs of a browser share six connections to a host. So requests have a time limit, and only one tab
// uploads at a time. The limit of streams is in data/live/freshness.ts.

/** The maximum time for which a request waits for its answer, in milliseconds. */
const answerWithin = 60_000
/** The maximum time of an upload, in milliseconds. The service itself ends an upload after 300 s. */
const uploadWithin = 310_000

/** Returns a signal that ends a request when `signal` does, or when it has no answer in time. */
function inTime(signal: AbortSignal | undefined): AbortSignal {
  const late = AbortSignal.timeout(answerWithin)
  return signal ? AbortSignal.any([signal, late]) : late
}

/**
 * Runs `upload` when no other tab of this browser uploads. Calls `waits` if another tab does. Without Web Locks, which
 * browsers do not have over plain HTTP on another host than localhost, `upload` runs at once.
 */
async function inTurn<T>(upload: () => Promise<T>, waits: () => void): Promise<T> {
  const locks = navigator.locks as LockManager | undefined
  if (!locks) return upload()
  const free = { ifAvailable: true }
  const first = await locks.request(uploadLock, free, async (lock) => (lock ? { made: await upload() } : undefined))
  if (first) return first.made
  waits()
  return await locks.request(uploadLock, upload)
}

const uploadLock = 'svc-upload'
