/**
 * What the service answers the page; which operation gives what stands in operations/. Times are Unix milliseconds unless a value comes
 * out of a report: those are seconds, as the agent sent them. Errors are `{error: {code, message}}` as everywhere; 401 means "sign in",
 * 403 "not yours to do", 404 also "not yours to see". A command answers 200 instead of 201 when the same press is under way (D5).
 */
import type { CommandState, CommandType, Level, Report, Run, SettingValue, SettingValues, Stop } from '@svc/protocol'
import type { BotTokenState, BundleFinding } from './answers-blueprints.ts'
import type { AgentUpdates, FleetUpdates } from './answers-updates.ts'

export type * from './answers-blueprints.ts'
export type * from './answers-updates.ts'

export interface Failure {
  /** `findings`: every reason for which a bundle was refused (code `bundle_refused`). */
  error: { code: string; message: string; findings?: BundleFinding[] }
}

export type Role = 'admin' | 'member'

export interface Me {
  id: string
  name: string
  email: string
  /** Whether an operator handed the account to the owner of the address. */
  emailConfirmed: boolean
  workspaces: { slug: string; name: string; role: Role }[]
  /** The service's own version and address, for the lines to paste on a machine. */
  service: { version: string; baseUrl: string; runtime: boolean }
}

export interface StartInfo {
  ok: true
}
export interface ClaimInfo {
  email: string
}
export interface InvitationInfo {
  workspace: string
  email: string
  role: Role
  invitedBy: string
  /** Whether a person of that address already has an account (then they sign in first). */
  hasAccount: boolean
}
export interface Session {
  id: string
  current: boolean
  createdAt: number
  /** When it was last used, as far as the accounts library keeps it. */
  seenAt: number
  ip: string | null
  userAgent: string | null
}

/** A sign-in that was good. `first`: the link of the first start. `claim`: a link that hands an account over. */
export interface SignInRecord {
  at: number
  method: 'password' | 'link' | 'invitation' | 'first' | 'claim'
  address: string
  userAgent: string
}

export interface Workspace {
  slug: string
  name: string
  role: Role
  /** False: the agent routes answer 403 and the page says so. */
  activated: boolean
  agents: number
}

/** One line of the fleet: small, and the same in lists and in frames. */
export interface FleetRow {
  name: string
  level: Level | null
  label: string | null
  detail: string | null
  /** Null: has never reported. */
  seenAt: number | null
  /** From when on it counts as silent, by the service's clock (D20); null when it has never reported. */
  silentAt: number | null
  /** D66: it was stopped on its machine, and by whom; null while it reports. */
  stopped: Stop | null
  /** D65: when it wrote its status file, by its machine's clock; null when it does not say. */
  statusAt: number | null
  /** That was too long ago. */
  statusLate: boolean
  /** It runs without secrets that its version requires. */
  secretsMissing: boolean
  doing: string | null
  version: string | null
  controls: ('pause' | 'resume' | 'run_now')[]
  /** US dollars of today (UTC) and of the last 30 days; null when no run named a cost. */
  costToday: number | null
  cost30: number | null
  updates: FleetUpdates
}
export type FleetSort = 'name' | 'level' | 'seen' | 'cost_today' | 'cost_30' | 'version'
export interface Fleet {
  now: number
  /** Rows that match; `rows` are those from `offset` on, 200 at most. */
  total: number
  rows: FleetRow[]
  /** Of the whole workspace, for the filter's labels. */
  counts: Record<Level | 'silent' | 'stopped' | 'never' | 'all', number>
  costToday: number | null
  cost30: number | null
}

/**
 * One coalesced frame per workspace and tick (event `frame`). `rows` are the agents whose report came since the last tick, `changed` those
 * whose commands or logs changed. After a very busy tick `more` is true: ask for the list again; only agents whose page somebody has
 * open are told of then.
 * On connecting, and after every reconnection, the page asks for what it shows once more. Event `ping` every 20 s.
 */
export interface Frame {
  now: number
  rows: FleetRow[]
  /** Agents of which something else changed: commands, logs, name. */
  changed: string[]
  /** Agents were added, renamed or deleted; blueprints, codes or bots changed: ask for the lists again. */
  list: boolean
  more: boolean
}

export interface AgentPage {
  now: number
  name: string
  createdAt: number
  createdBy: string | null
  /** The blueprint it was installed from; null for an agent that somebody connected by hand. */
  blueprint: string | null
  /** Its versions of that blueprint; all null for an agent that was connected by hand. */
  versions: AgentVersions
  /** What it runs, what it should run, and what became of that. */
  updates: AgentUpdates
  /** What its blueprint binds it to, by product. Empty for an agent that was connected by hand. */
  bindings: AgentBinding[]
  /** Two authors, one truth: what changed on the machine and not by a wish from here; newest first, 50 at most. */
  machineChanges: MachineChange[]
  seenAt: number | null
  silentAt: number | null
  /** D66: it was stopped on its machine, and by whom; null while it reports. */
  stopped: Stop | null
  /** D65: when it wrote its status file, by its machine's clock; null when it does not say. */
  statusAt: number | null
  /** That was too long ago. */
  statusLate: boolean
  /** It runs without secrets that its version requires. */
  secretsMissing: boolean
  /** D8: two reporters seem to use this agent's token. */
  twoReporters: boolean
  /** The last report as kept, without its runs; null before the first. */
  report: Omit<Report, 'runs' | 'acks'> | null
  runs: { kept: number; statuses: string[]; models: string[] }
  /** Log names that may be asked for. */
  logs: string[]
  costToday: number | null
  cost30: number | null
  /** Commands that are queued or unanswered, oldest first. */
  open: Command[]
  /** Whether the person who asks may act on the agent: admins may. */
  canAct: boolean
}

interface AgentVersions {
  /** What the code installed. */
  installed: string | null
  /** As last reported; null before the first report. */
  running: string | null
  /** The one that ran before it, which the machine keeps. */
  previous: string | null
}

/** 2.9, 3.7. `health` is the report's own item `Binding <product>`; null when the report names none. */
export interface AgentBinding {
  product: string
  /** Where the product answers; null when the operator has removed it. */
  origin: string | null
  role: string
  scopes: string[]
  /** The bot that acts for the agent; null when it was deleted here. */
  bot: { id: string; name: string } | null
  token: BotTokenState | 'none'
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
  health: { level: Level; detail: string | null } | null
  /** Whether it is broken (a `bad` health item, or a token that no longer counts), and what mends it, as a sentence. */
  broken: boolean
  mends: string | null
}

export interface MachineChange {
  at: number
  kind: 'pause' | 'setting' | 'version'
  /** The setting's key; null otherwise. */
  key: string | null
  /** Of a pause: true and false; of a version: texts; null: not set. */
  before: SettingValue
  after: SettingValue
}

export interface Runs {
  total: number
  /** Newest first. */
  rows: Run[]
}

export interface UsageDay {
  /** `2026-11-21`, UTC. */
  day: string
  runs: number
  cost: number
  outputTokens: number
  /** Cost by model, US dollars. */
  models: Record<string, number>
}

export interface LevelChange {
  at: number
  level: Level
  label: string | null
}

export interface Command {
  id: string
  type: CommandType
  payload: SettingValues | { name: string } | Record<string, never>
  state: CommandState
  createdAt: number
  createdBy: string
  deliveredAt: number | null
  failedAt: number | null
  answeredAt: number | null
  message: string | null
  /** When it times out, while it can (D2). */
  dueAt: number | null
  /** The log that answered it. */
  logId: string | null
}
export interface Commands {
  total: number
  rows: Command[]
}
export interface BulkResult {
  agent: string
  ok: boolean
  /** Why not, when not. */
  message: string | null
}

export interface NewToken {
  name: string
  /** Shown this once. */
  token: string
}

export interface LogEntry {
  id: string
  name: string
  receivedAt: number
  bytes: number
  expiresAt: number
  askedBy: string
}
export interface LogText extends LogEntry {
  text: string
}

export interface Members {
  members: { id: string; name: string; email: string; emailConfirmed: boolean; role: Role; self: boolean }[]
  /** Admins only; empty for members. `void`: who invited left, or is less by now than what they invite to. */
  invitations: {
    id: string
    email: string
    role: Role
    expiresAt: number
    invitedBy: string
    url: string
    void: boolean
  }[]
}

export interface AuditEntry {
  id: string
  at: number
  actor: string
  action: string
  subject: string
  details: Record<string, unknown>
}
