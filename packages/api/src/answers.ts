/**
 * The answers of the service to the page; operations/ says which operation gives what. Times are Unix milliseconds, but
 * values from a report are in seconds, as the agent sent them. Errors are `{error: {code, message}}` as everywhere; 401
 * means "sign in", 403 "not allowed", 404 also "not visible to you". A command answers 200 instead of 201 if the same
 * one is already pending (D5).
 */
import type { CommandState, CommandType, Level, Report, Run, SettingValue, SettingValues, Stop } from '@svc/protocol'
import type { BotTokenState, BundleFinding } from './answers-blueprints.ts'
import type { AgentUpdates, FleetUpdates } from './answers-updates.ts'

export type * from './answers-blueprints.ts'
export type * from './answers-updates.ts'

export interface Failure {
  /** Every reason for which a bundle was refused (code `bundle_refused`). */
  error: { code: string; message: string; findings?: BundleFinding[] }
}

export type Role = 'admin' | 'member'

export interface Me {
  id: string
  name: string
  email: string
  /** True if an operator handed the account to the owner of the address. */
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
  /** True if a person with that address already has an account; they then sign in first. */
  hasAccount: boolean
}
export interface Session {
  id: string
  current: boolean
  createdAt: number
  /** When it was last used, as far as the accounts library records it. */
  seenAt: number
  ip: string | null
  userAgent: string | null
}

/** A successful sign-in. `first`: by the link of the first start. `claim`: by a link that hands an account over. */
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

/** One row of the fleet: small, and the same in lists and in frames. */
export interface FleetRow {
  name: string
  level: Level | null
  label: string | null
  detail: string | null
  /** Null if it has never reported. */
  seenAt: number | null
  /** When it counts as offline, by the service's clock (D20); null if it has never reported. */
  silentAt: number | null
  /** Who stopped it on its machine (D66); null while it reports. */
  stopped: Stop | null
  /** When it wrote its status file, by its machine's clock (D65); null if it does not say. */
  statusAt: number | null
  /** True if the status file is too old (D65). */
  statusLate: boolean
  /** True if it lacks secrets that its version requires. */
  secretsMissing: boolean
  doing: string | null
  version: string | null
  controls: ('pause' | 'resume' | 'run_now')[]
  /** US dollars of today (UTC) and of the last 30 days; null if no run named a cost. */
  costToday: number | null
  cost30: number | null
  updates: FleetUpdates
}
export type FleetSort = 'name' | 'level' | 'seen' | 'cost_today' | 'cost_30' | 'version'
export interface Fleet {
  now: number
  /** The number of rows that match. `rows` holds at most 200 of them, from `offset` on. */
  total: number
  rows: FleetRow[]
  /** Counts of the whole workspace, for the labels of the filter. */
  counts: Record<Level | 'silent' | 'stopped' | 'never' | 'all', number>
  costToday: number | null
  cost30: number | null
}

/**
 * One frame per workspace and tick (event `frame`), in which `rows` are the agents that reported since the last tick.
 * After a very busy tick `more` is true: request the list again; the frame then names only agents whose page is open.
 * The page requests what it shows on connecting and after every reconnection; event `ping` comes every 20 s.
 */
export interface Frame {
  now: number
  rows: FleetRow[]
  /** Agents of which something else changed: commands, logs, name. */
  changed: string[]
  /** True if agents were added, renamed or deleted, or blueprints, codes or bots changed: request the lists again. */
  list: boolean
  more: boolean
}

export interface AgentPage {
  now: number
  name: string
  createdAt: number
  createdBy: string | null
  /** The blueprint it was installed from; null for an agent that was connected by hand. */
  blueprint: string | null
  /** Its versions of that blueprint; all null for an agent that was connected by hand. */
  versions: AgentVersions
  /** The versions it runs and should run, and the state of its updates. */
  updates: AgentUpdates
  /** The products that its blueprint binds it to. Empty for an agent that was connected by hand. */
  bindings: AgentBinding[]
  /** Changes made on the machine and not by a command from here; newest first, at most 50. */
  machineChanges: MachineChange[]
  seenAt: number | null
  silentAt: number | null
  /** Who stopped it on its machine (D66); null while it reports. */
  stopped: Stop | null
  /** When it wrote its status file, by its machine's clock (D65); null if it does not say. */
  statusAt: number | null
  /** True if the status file is too old (D65). */
  statusLate: boolean
  /** True if it lacks secrets that its version requires. */
  secretsMissing: boolean
  /** True if two reporters seem to use this agent's token (D8). */
  twoReporters: boolean
  /** The last report as stored, without its runs; null before the first. */
  report: Omit<Report, 'runs' | 'acks'> | null
  runs: { kept: number; statuses: string[]; models: string[] }
  /** The names of the logs that may be requested. */
  logs: string[]
  costToday: number | null
  cost30: number | null
  /** Commands that are queued or unanswered, oldest first. */
  open: Command[]
  /** True if this person may act on the agent, as admins may. */
  canAct: boolean
}

interface AgentVersions {
  /** The version that the code installed. */
  installed: string | null
  /** As last reported; null before the first report. */
  running: string | null
  /** The version that ran before it, which the machine keeps. */
  previous: string | null
}

/**
 * A binding of the agent (2.9, 3.7). `health` is the report's own item `Binding <product>`; null if the report has
 * none.
 */
export interface AgentBinding {
  product: string
  /** The address of the product; null if the operator has removed it. */
  origin: string | null
  role: string
  scopes: string[]
  /** The bot that acts for the agent; null if it was deleted here. */
  bot: { id: string; name: string } | null
  token: BotTokenState | 'none'
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
  health: { level: Level; detail: string | null } | null
  /** `broken`: a `bad` health item, or an invalid token. `mends` is a sentence that says what mends it. */
  broken: boolean
  mends: string | null
}

export interface MachineChange {
  at: number
  kind: 'pause' | 'setting' | 'version'
  /** The key of the setting; null for other changes. */
  key: string | null
  /** Booleans for a pause, texts for a version. Null means not set. */
  before: SettingValue
  after: SettingValue
}

export interface Runs {
  total: number
  /** Newest first. */
  rows: Run[]
}

export interface UsageDay {
  /** Such as `2026-11-21`, in UTC. */
  day: string
  runs: number
  cost: number
  outputTokens: number
  /** Cost by model in US dollars. */
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
  /** When it times out, as long as it can (D2). */
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
  /** The reason of a refusal, else null. */
  message: string | null
}

export interface NewToken {
  name: string
  /** Shown only this once. */
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
  /** For admins; empty for members. `void`: the inviter left, or now has fewer rights than the invitation gives. */
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
