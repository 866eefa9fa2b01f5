/**
 * What is stored. Times are Unix milliseconds, JSON is text, booleans are 0 and 1, ids that people never see are UUIDv7.
 * The hot rows (agent_report, run, usage_day, command) are narrow and apart from what people edit, so that a report
 * touches few and small pages; no index stands on a column that a report overwrites.
 */
import type { RolloutAgentState, RolloutKind, RolloutState, SignInRecord, UpdateKind } from '@svc/api'
import type { CommandState, CommandType, Level, Stop } from '@svc/protocol'
import type { Generated, Selectable } from 'kysely'

export interface AgentTable {
  id: string
  workspace_id: string
  name: string
  /** SHA-256 of the token, hex. The token itself is never stored (5). */
  token_hash: string
  created_at: number
  created_by: string | null
  /** The blueprint it was installed from; null for an agent that somebody connected by hand. */
  blueprint: string | null
  /** Of an agent of a blueprint: what its code installed, what it last reported, and what it ran before that and keeps. */
  installed_version: string | null
  reported_version: string | null
  previous_version: string | null
  /** JSON of what is compared with the next report (reports/machine-changes.ts): pause, settings, version. Rarely rewritten. */
  facts: string | null
  /** JSON of standing wishes and holds, null while there are none, and of what its last report said of its attempts; wishes/kept.ts. */
  wishes: string | null
  attempts: string | null
  /** What `wishes` says, for queries: the versions wished, and since when the runtime's counts as a trial. */
  wished_version: string | null
  runtime_wished: string | null
  runtime_granted_at: number | null
}

/** The last report, one row an agent. `body` is the report as kept (reports/body.ts reads it); its runs stand in `run`. */
export interface AgentReportTable {
  agent_id: string
  received_at: number
  /** What the fleet list shows, so that it needs no body. */
  level: Level | null
  label: string | null
  detail: string | null
  version: string | null
  /** One line: what it is doing now, from `active`; null when it does nothing or does not say. */
  doing: string | null
  /** JSON array of the controls offered. */
  controls: string
  /** Seconds that were asked for in the answer: what silence is judged by (D20). */
  interval_s: number
  /** D11: which start of the reporter, and its how-manieth report. */
  boot: string | null
  seq: number | null
  /** D8: marks of host and boot of the last ten reports, read by `twoReporters` of reports/reporters.ts. */
  reporters: string
  runs_kept: number
  body: string
  /** Sums of days that wait here (reports/pending.ts), JSON; on PostgreSQL only what an embedded installation brought. */
  usage: string | null
  /** D65: when the agent wrote its status file, Unix seconds as reported. Null: not said. */
  status_at: number | null
  /** What the runtime warns of and the list shows, by a word each (reports/columns.ts); null: nothing. */
  warnings: string | null
  /** D66: who ended the reporter, when this is the last report of an orderly stop. */
  stopped: Stop | null
}

/** 2.2. `place` is the key by which the newest 2000 are kept (D10), in milliseconds. */
export interface RunTable {
  /** Order of arrival: ties of `place` are broken by it. */
  seq: Generated<number>
  agent_id: string
  id: string
  place: number
  first_seen: number
  started: number | null
  ended: number | null
  status: string | null
  kind: string | null
  cost_micro: number | null
  output_tokens: number | null
  /** The log it names, which may be asked for (2.7). */
  log: string | null
  /** The run as reported, JSON. */
  body: string
}

/** Sums that survive the trimming of runs. Model '' holds the day's totals; a model's row holds its share of the cost. */
export interface UsageDayTable {
  agent_id: string
  /** Days since 1970 (UTC) of the run's place. */
  day: number
  model: string
  runs: number
  cost_micro: number
  output_tokens: number
}

export interface LevelChangeTable {
  seq: Generated<number>
  agent_id: string
  at: number
  level: Level
  label: string | null
}

/** 3.2. */
export interface CommandTable {
  id: string
  agent_id: string
  type: CommandType
  payload: string
  state: CommandState
  created_at: number
  /** The person, by id and by the name at that time; null for the operator's command line. */
  created_by: string | null
  created_by_name: string
  delivered_at: number | null
  /** When the service gave up on it (failed, expired). */
  failed_at: number | null
  /** When the agent's answer came. */
  answered_at: number | null
  /** The agent's words, or the service's reason. */
  message: string | null
  /** When to look at it again (D2): null once nothing can time out. */
  due_at: number | null
}

/** 2.8: 30 days from receipt, admins only. */
export interface LogTable {
  id: string
  agent_id: string
  command_id: string
  name: string
  received_at: number
  bytes: number
  text: string
  /** After this it is unreadable; erased within a day. */
  expires_at: number
}

export interface ProductTable {
  /** `svc` is this service itself. */
  id: string
  origin: string
  secret_hash: string | null
  created_at: number
}

/** 5.4: a workspace not activated for `svc` gets 403 on the agent routes. */
export interface WorkspaceProductTable {
  workspace_id: string
  product_id: string
  activated_at: number
}

/** A name in a workspace under which versions are uploaded. */
export interface BlueprintTable {
  id: string
  workspace_id: string
  name: string
  created_at: number
}

/** Never changed once it is there. */
export interface BlueprintVersionTable {
  id: string
  blueprint_id: string
  version: string
  description: string
  /** Of the bundle, in hex. */
  sha256: string
  size: number
  uploaded_at: number
  uploaded_by: string | null
  uploaded_by_name: string
  /** The manifest as it was read, JSON. */
  manifest: string
  /** JSON array of {path, size, executable}. */
  files: string
  bundle: Uint8Array
}

/** 2.9. What it would install is written down when it is issued (D43). */
export interface InstallCodeTable {
  id: string
  hash: string
  workspace_id: string
  /** Null once that version was deleted, which no live code allows. */
  version_id: string | null
  blueprint: string
  version: string
  sha256: string
  /** JSON array of {product, role, scopes}. */
  bindings: string
  agent_name: string
  issued_by: string | null
  issued_by_name: string
  issued_at: number
  expires_at: number
  redeemed_at: number | null
  revoked_at: number | null
  /** The agent that it made; null when that was deleted. */
  agent_id: string | null
}

/** D46. Belongs to the workspace and outlives the agents that act as it. */
export interface BotTable {
  id: string
  workspace_id: string
  product_id: string
  name: string
  role: string
  created_at: number
}

/** One for each agent and bot, stamped for one product; goes with either of them. */
export interface BotTokenTable {
  id: string
  bot_id: string
  agent_id: string
  product_id: string
  hash: string
  /** JSON array. */
  scopes: string
  issued_at: number
  expires_at: number
  revoked_at: number | null
  /** To the minute. */
  last_used_at: number | null
}

/** D37: one row for each build that was served. The one with the highest serial is. */
export interface ReleaseTable {
  serial: number
  version: string
  /** Of the file, in hex. */
  sha256: string
  size: number
  added_at: number
  added_by: string | null
  added_by_name: string
  /** As OpenSSH wrote it; null for a build that was not signed. */
  signature: Uint8Array | null
  /** `svc.pyz`; null once it is only history. */
  file: Uint8Array | null
}

/** What changed on a machine and not by a wish from here. `before` and `after` are JSON. */
export interface MachineChangeTable {
  seq: Generated<number>
  agent_id: string
  at: number
  kind: 'pause' | 'setting' | 'version'
  key: string | null
  before: string
  after: string
}

/** The timeline of an agent's updates; the newest ones are kept. */
export interface UpdateEventTable {
  seq: Generated<number>
  agent_id: string
  at: number
  subject: RolloutKind
  kind: UpdateKind
  version: string | null
  from_version: string | null
  message: string | null
  by_name: string | null
  rollout_id: string | null
  /** Of an outcome: when its attempt may have begun. */
  since: number | null
}

/** A version named for many agents, in waves. */
export interface RolloutTable {
  id: string
  workspace_id: string
  kind: RolloutKind
  blueprint: string | null
  version: string
  /** JSON array such as ["1", "10%", "100%"]: how many are reached after each wave. */
  waves: string
  by_hand: number
  watch_seconds: number
  state: RolloutState
  why: string | null
  /** From 1. */
  wave: number
  /** Since when all agents of the wave that answer have kept the version. */
  wave_kept_at: number | null
  created_at: number
  created_by: string | null
  created_by_name: string
  /** Who last let it go on, and answers for it since. No name: whoever began it does. */
  continued_by: string | null
  continued_by_name: string | null
  changed_at: number
}
export interface RolloutAgentTable {
  rollout_id: string
  agent_id: string
  /** From 1; 0: left out. */
  wave: number
  state: RolloutAgentState
  reason: string | null
  /** Its own level when the version was wished. */
  level_before: Level | null
  wished_at: number | null
  /** The report with which it was first seen worse than before. */
  worse_at: number | null
  /** 1: a person let the rollout go on after what became of it. */
  forgiven: number
  at: number | null
}

/** One row: when any node was last seen alive. */
export interface ServiceBeatTable {
  id: number
  at: number
}
/** When no node was. */
export interface ServiceAwayTable {
  seq: Generated<number>
  from_at: number
  until_at: number
}

/** What all nodes on one database must agree on. */
export interface AgreedTable {
  name: string
  value: string
}

/** Who did what, when, to what. Kept when what it names is gone. */
export interface AuditTable {
  id: string
  workspace_id: string | null
  at: number
  actor_id: string | null
  /** The person's name at that time, or `operator`. */
  actor: string
  /** Such as `agent.created`, `command.sent`, `member.removed`. */
  action: string
  /** Such as `agent mail-triage`. */
  subject: string
  /** JSON object of further facts; never a secret. */
  details: string
}

/** Limits that the operator set; workspaces/limits.ts has the defaults. */
export interface WorkspaceLimitTable {
  workspace_id: string
  kind: 'agents' | 'people' | 'bundles'
  value: number
}

/** One-time links: the first person's sign-up, a person's sign-in. Only the hash is kept. */
export interface LinkTable {
  hash: string
  purpose: 'first' | 'sign_in' | 'reset' | 'claim'
  person_id: string | null
  created_at: number
  expires_at: number
  used_at: number | null
}

/** A person's last sign-ins (people/history.ts). */
export interface SignInTable {
  id: string
  person_id: string
  at: number
  method: SignInRecord['method']
  address: string
  user_agent: string
}

/** Somebody vouched that the person of this account owns its e-mail address (people/claim.ts). */
export interface EmailConfirmationTable {
  person_id: string
  at: number
}

/** The accounts library's own tables that our queries join; it owns their migrations and writes. */
export interface WorkspaceTable {
  id: string
  name: string
  slug: string
}
export interface PersonTable {
  id: string
  name: string
  email: string
}
export interface SessionTable {
  id: string
  userId: string
}
export interface AccountTable {
  id: string
  userId: string
  providerId: string
  password: string | null
}
export interface MemberTable {
  id: string
  workspaceId: string
  userId: string
  role: string
}
/** `expiresAt` is ISO text on SQLite. */
export interface InvitationTable {
  id: string
  workspaceId: string
  email: string
  role: string
  status: string
  expiresAt: Date
  inviterId: string
}

export interface Tables {
  agent: AgentTable
  agent_report: AgentReportTable
  run: RunTable
  usage_day: UsageDayTable
  level_change: LevelChangeTable
  command: CommandTable
  log: LogTable
  product: ProductTable
  workspace_product: WorkspaceProductTable
  blueprint: BlueprintTable
  blueprint_version: BlueprintVersionTable
  install_code: InstallCodeTable
  bot: BotTable
  bot_token: BotTokenTable
  machine_change: MachineChangeTable
  update_event: UpdateEventTable
  rollout: RolloutTable
  rollout_agent: RolloutAgentTable
  service_beat: ServiceBeatTable
  service_away: ServiceAwayTable
  release: ReleaseTable
  agreed: AgreedTable
  audit: AuditTable
  workspace_limit: WorkspaceLimitTable
  link: LinkTable
  sign_in: SignInTable
  email_confirmation: EmailConfirmationTable
  workspace: WorkspaceTable
  user: PersonTable
  session: SessionTable
  account: AccountTable
  member: MemberTable
  invitation: InvitationTable
}

export type AgentRow = Selectable<AgentTable>
export type AgentReportRow = Selectable<AgentReportTable>
export type RunRow = Selectable<RunTable>
export type CommandRow = Selectable<CommandTable>
export type ReleaseRow = Selectable<ReleaseTable>
export type LogRow = Selectable<LogTable>
export type AuditRow = Selectable<AuditTable>
export type InstallCodeRow = Selectable<InstallCodeTable>
export type BotRow = Selectable<BotTable>
export type RolloutDbRow = Selectable<RolloutTable>
export type RolloutAgentDbRow = Selectable<RolloutAgentTable>
export type BotTokenRow = Selectable<BotTokenTable>
