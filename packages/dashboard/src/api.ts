/**
 * The service's own routes, typed by what it exports. A refusal is thrown as `ApiError` with the service's code and words;
 * no connection is `ApiError` with status 0 and code `offline`.
 */
import type * as web from '@svc/api'
import { serviceHeard } from './ui/clock.ts'

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** Of a refused bundle: every reason, with file and line. */
  readonly findings: readonly web.BundleFinding[]
  constructor(status: number, code: string, message: string, findings: readonly web.BundleFinding[] = []) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.findings = findings
  }
}

/** What may be wished of an agent, as the page sends it (3.2). */
export type WishBody =
  | { type: 'pause' | 'resume' | 'run_now' }
  | { type: 'set'; payload: Record<string, string | number | boolean | null> }
  | { type: 'log'; payload: { name: string } }

type Values = Readonly<Record<string, string | number | boolean | null | undefined>>

/** `?a=1&b=2` of the values that are there; empty text, false and undefined are left out. */
export function query(values: Values): string {
  const pairs = Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== '' && v !== false)
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([k, v]) => [k, String(v)]))}`
}

async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  let response: Response
  try {
    response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw offline()
  }
  return read<T>(response.status, await response.text())
}

/** What was answered; a refusal is thrown. */
function read<T>(status: number, text: string): T {
  serviceHeard()
  const value = parsed(text)
  if (status < 200 || status > 299) throw refusal(status, value)
  return value as T
}

const offline = () =>
  new ApiError(0, 'offline', 'The service could not be reached. Check the connection and try again.')

/** Sends a file as it is, by the one way in which browsers tell how much of it is sent (a share of 0 to 1). */
function send<T>(path: string, file: Blob, sent: (share: number) => void): Promise<T> {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    request.setRequestHeader('accept', 'application/json')
    request.setRequestHeader('content-type', 'application/zip')
    request.upload.onprogress = ({ loaded, total }) => total > 0 && sent(loaded / total)
    request.onerror = () => fail(offline())
    request.onload = () => {
      try {
        done(read<T>(request.status, request.responseText))
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

/** The service's envelope `{error: {code, message}}`, or the accounts library's `{code, message}`. */
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
    Array.isArray(inner.findings) ? (inner.findings as web.BundleFinding[]) : [],
  )
}

const get = <T>(path: string, signal?: AbortSignal) => call<T>('GET', path, undefined, signal)
const post = <T>(path: string, body: unknown = {}) => call<T>('POST', path, body)
const put = <T>(path: string, body: unknown) => call<T>('PUT', path, body)
const patch = <T>(path: string, body: unknown) => call<T>('PATCH', path, body)
const remove = <T>(path: string) => call<T>('DELETE', path)

const w = (slug: string) => `/api/web/w/${encodeURIComponent(slug)}`
const b = (slug: string, blueprint: string, version: string) =>
  `${w(slug)}/blueprints/${encodeURIComponent(blueprint)}/versions/${encodeURIComponent(version)}`
const r = (slug: string, id: string) => `${w(slug)}/rollouts/${encodeURIComponent(id)}`
const a = (slug: string, name: string) => `${w(slug)}/agents/${encodeURIComponent(name)}`

export interface FleetQuery {
  search?: string | undefined
  level?: web.FleetRow['level'] | 'never' | undefined
  silent?: boolean | undefined
  stopped?: boolean | undefined
  sort?: web.FleetSort | undefined
  desc?: boolean | undefined
}

export const api = {
  me: (s?: AbortSignal) => get<web.Me>('/api/web/me', s),
  rename: (name: string) => patch<web.Me>('/api/web/me', { name }),
  sessions: (s?: AbortSignal) => get<web.Session[]>('/api/web/sessions', s),
  signIns: (s?: AbortSignal) => get<web.SignInRecord[]>('/api/web/sign-ins', s),
  endSession: (id: string) => remove<unknown>(`/api/web/sessions/${encodeURIComponent(id)}`),
  endOtherSessions: () => remove<unknown>('/api/web/sessions'),
  changePassword: (current: string, next: string) => post<unknown>('/api/web/password', { current, next }),
  signIn: (email: string, password: string) => post<unknown>('/api/auth/sign-in/email', { email, password }),
  signOut: () => post<unknown>('/api/auth/sign-out'),
  startInfo: (token: string, s?: AbortSignal) => get<web.StartInfo>(`/api/web/start${query({ token })}`, s),
  start: (body: { token: string; name: string; email: string; password: string; workspace: string; slug: string }) =>
    post<{ slug: string }>('/api/web/start', body),
  spendLink: (token: string) => post<unknown>('/api/web/link', { token }),
  claimInfo: (token: string, s?: AbortSignal) => get<web.ClaimInfo>(`/api/web/claim${query({ token })}`, s),
  claim: (body: { token: string; name: string; password: string }) => post<unknown>('/api/web/claim', body),
  invitation: (id: string, s?: AbortSignal) =>
    get<web.InvitationInfo>(`/api/web/invitations/${encodeURIComponent(id)}`, s),
  accept: (id: string, body: { name?: string; password?: string }) =>
    post<{ slug: string }>(`/api/web/invitations/${encodeURIComponent(id)}`, body),

  createWorkspace: (name: string, slug: string) => post<{ slug: string }>('/api/web/workspaces', { name, slug }),
  workspace: (slug: string, s?: AbortSignal) => get<web.Workspace>(w(slug), s),
  renameWorkspace: (slug: string, name: string) => patch<web.Workspace>(w(slug), { name }),
  fleet: (slug: string, q: FleetQuery, offset: number, limit: number, s?: AbortSignal) =>
    get<web.Fleet>(`${w(slug)}/fleet${query({ ...q, offset, limit })}`, s),
  wishOfMany: (slug: string, agents: string[], type: 'pause' | 'resume' | 'run_now') =>
    post<web.BulkResult[]>(`${w(slug)}/commands`, { agents, type }),
  members: (slug: string, s?: AbortSignal) => get<web.Members>(`${w(slug)}/members`, s),
  invite: (slug: string, email: string, role: web.Role) =>
    post<{ id: string; url: string }>(`${w(slug)}/invitations`, { email, role }),
  uninvite: (slug: string, id: string) => remove<unknown>(`${w(slug)}/invitations/${encodeURIComponent(id)}`),
  setRole: (slug: string, id: string, role: web.Role) =>
    patch<unknown>(`${w(slug)}/members/${encodeURIComponent(id)}`, { role }),
  removeMember: (slug: string, id: string) => remove<unknown>(`${w(slug)}/members/${encodeURIComponent(id)}`),
  activity: (slug: string, before: number | undefined, limit: number, s?: AbortSignal) =>
    get<web.AuditEntry[]>(`${w(slug)}/activity${query({ before, limit })}`, s),

  blueprints: (slug: string, s?: AbortSignal) => get<web.Blueprints>(`${w(slug)}/blueprints`, s),
  blueprint: (slug: string, name: string, s?: AbortSignal) =>
    get<web.BlueprintPage>(`${w(slug)}/blueprints/${encodeURIComponent(name)}`, s),
  version: (slug: string, blueprint: string, version: string, s?: AbortSignal) =>
    get<web.BlueprintVersion>(b(slug, blueprint, version), s),
  upload: (slug: string, zip: Blob, sent: (share: number) => void) =>
    send<web.BlueprintVersion>(`${w(slug)}/blueprints`, zip, sent),
  deleteVersion: (slug: string, blueprint: string, version: string) => remove<unknown>(b(slug, blueprint, version)),
  /** Where the browser downloads a version's zip from. */
  bundleDownload: (slug: string, blueprint: string, version: string) => `${b(slug, blueprint, version)}/bundle`,
  codes: (slug: string, s?: AbortSignal) => get<web.InstallCode[]>(`${w(slug)}/codes`, s),
  code: (slug: string, id: string, s?: AbortSignal) =>
    get<web.InstallCode>(`${w(slug)}/codes/${encodeURIComponent(id)}`, s),
  issueCode: (slug: string, body: { blueprint: string; version: string; agent?: string }) =>
    post<web.NewCode>(`${w(slug)}/codes`, body),
  revokeCode: (slug: string, id: string) => remove<unknown>(`${w(slug)}/codes/${encodeURIComponent(id)}`),
  bots: (slug: string, s?: AbortSignal) => get<web.Bots>(`${w(slug)}/bots`, s),
  revokeBot: (slug: string, id: string) =>
    post<{ revoked: number }>(`${w(slug)}/bots/${encodeURIComponent(id)}/revoke`),
  revokeBotToken: (slug: string, id: string, token: string) =>
    post<{ revoked: number }>(`${w(slug)}/bots/${encodeURIComponent(id)}/tokens/${encodeURIComponent(token)}/revoke`),
  deleteBot: (slug: string, id: string) => remove<unknown>(`${w(slug)}/bots/${encodeURIComponent(id)}`),
  products: (slug: string, s?: AbortSignal) => get<web.WorkspaceProduct[]>(`${w(slug)}/products`, s),

  addAgent: (slug: string, name: string) => post<web.NewToken>(`${w(slug)}/agents`, { name }),
  agent: (slug: string, name: string, s?: AbortSignal) => get<web.AgentPage>(a(slug, name), s),
  renameAgent: (slug: string, name: string, to: string) => patch<{ name: string }>(a(slug, name), { name: to }),
  deleteAgent: (slug: string, name: string) => remove<unknown>(a(slug, name)),
  rotateToken: (slug: string, name: string) => post<web.NewToken>(`${a(slug, name)}/token`),
  runs: (
    slug: string,
    name: string,
    q: {
      status?: string | undefined
      model?: string | undefined
      text?: string | undefined
      offset?: number
      limit?: number
    },
    s?: AbortSignal,
  ) => get<web.Runs>(`${a(slug, name)}/runs${query(q)}`, s),
  usage: (slug: string, name: string, days: number, s?: AbortSignal) =>
    get<web.UsageDay[]>(`${a(slug, name)}/usage${query({ days })}`, s),
  levels: (slug: string, name: string, limit: number, s?: AbortSignal) =>
    get<web.LevelChange[]>(`${a(slug, name)}/levels${query({ limit })}`, s),
  commands: (slug: string, name: string, offset: number, limit: number, s?: AbortSignal) =>
    get<web.Commands>(`${a(slug, name)}/commands${query({ offset, limit })}`, s),
  wish: (slug: string, name: string, wish: WishBody) => post<web.Command>(`${a(slug, name)}/commands`, wish),
  wishAgain: (slug: string, name: string, id: string) =>
    post<web.Command>(`${a(slug, name)}/commands/${encodeURIComponent(id)}/again`),
  logs: (slug: string, name: string, s?: AbortSignal) => get<web.LogEntry[]>(`${a(slug, name)}/logs`, s),
  log: (slug: string, name: string, id: string, s?: AbortSignal) =>
    get<web.LogText>(`${a(slug, name)}/logs/${encodeURIComponent(id)}`, s),
  updates: (slug: string, name: string, limit: number, s?: AbortSignal) =>
    get<web.UpdateEvent[]>(`${a(slug, name)}/updates${query({ limit })}`, s),
  wishVersion: (slug: string, name: string, version: string) =>
    put<web.AgentUpdates>(`${a(slug, name)}/wishes/blueprint`, { version }),
  withdraw: (slug: string, name: string, kind: web.RolloutKind) =>
    remove<web.AgentUpdates>(`${a(slug, name)}/wishes/${kind}`),
  updateRuntime: (slug: string, name: string) => post<web.AgentUpdates>(`${a(slug, name)}/wishes/runtime`),
  liftHold: (slug: string, name: string) => remove<web.AgentUpdates>(`${a(slug, name)}/holds/runtime`),
  updateMany: (slug: string, wish: web.WishOfMany) => post<web.WishResult[]>(`${w(slug)}/wishes`, wish),
  runtime: (slug: string, s?: AbortSignal) => get<web.RuntimeOverview>(`${w(slug)}/runtime`, s),
  rollouts: (slug: string, before: string | undefined, limit: number, s?: AbortSignal) =>
    get<web.Rollouts>(`${w(slug)}/rollouts${query({ before, limit })}`, s),
  rollout: (slug: string, id: string, s?: AbortSignal) => get<web.RolloutPage>(r(slug, id), s),
  previewRollout: (slug: string, rollout: web.NewRollout) =>
    post<web.RolloutPreview>(`${w(slug)}/rollouts/preview`, rollout),
  startRollout: (slug: string, rollout: web.NewRollout) => post<web.RolloutPage>(`${w(slug)}/rollouts`, rollout),
  pauseRollout: (slug: string, id: string) => post<web.RolloutPage>(`${r(slug, id)}/pause`),
  continueRollout: (slug: string, id: string) => post<web.RolloutPage>(`${r(slug, id)}/continue`),
  cancelRollout: (slug: string, id: string, withdraw: boolean) =>
    post<web.RolloutPage>(`${r(slug, id)}/cancel`, { withdraw }),
  /** Where the browser downloads a log from. */
  logDownload: (slug: string, name: string, id: string) => `${a(slug, name)}/logs/${encodeURIComponent(id)}/download`,
} as const
