/** Answers about one agent, its runs, commands and logs, by the conventions of workspaces.ts. */
import type { CommandState, CommandType, Level, Report, Run, SettingValue, SettingValues } from '@svc/protocol'
import type { LeftOff } from '../left-off.ts'
import type { BotTokenState } from './blueprints.ts'
import type { AgentStatusFacts } from './fleet.ts'
import type { AgentUpdates } from './updates.ts'

/** The data of an agent's page. The lists of its runs, commands and logs are read separately. */
export interface AgentPage extends AgentStatusFacts {
  now: number
  name: string
  /** The tags that admins gave to the agent, sorted. */
  tags: readonly string[]
  createdAt: number
  createdBy: string | null
  /** When the service began to record pauses and times offline; null if the agent was created later. */
  statesSince: number | null
  /** The blueprint that the agent was installed from; null for an agent that was connected by hand. */
  blueprint: string | null
  /**
   * The versions of the blueprint that were installed, that the agent runs, and that it ran before; all null for an
   * agent that was connected by hand.
   */
  versions: AgentVersions
  /** The versions that the agent runs and should run, and the state of its updates. */
  updates: AgentUpdates
  /**
   * The products to which the agent is bound: by the version that it runs, by a token that it has, or by the version
   * that an admin wants it to run. Empty for an agent that was connected by hand.
   */
  bindings: AgentBinding[]
  /**
   * Changes that somebody made on the agent's machine, without a command from the service; newest first, at most 50.
   */
  machineChanges: MachineChange[]
  /** True if two reporters seem to use this agent's token (D8). */
  twoReporters: boolean
  /**
   * When the agent's next report is due, by the service's clock; null before the first report, and for an agent that
   * was stopped on its machine.
   */
  nextReportAt: number | null
  /** The name of the person whose command paused the agent; null if the agent reports no such pause. */
  pausedBy: string | null
  /** The agent's last report as the service stores it, without its runs and acks; null before the first report. */
  report: Omit<Report, 'runs' | 'acks'> | null
  runs: { kept: number; statuses: string[]; models: string[] }
  /** The names of the agent's logs that people may request. */
  logs: string[]
  /** True if the service keeps commands or logs of the agent. Absent in answers of version 0.1.0. */
  hasCommands?: boolean
  hasLogs?: boolean
  costToday: number | null
  cost30: number | null
  /** The pending commands of the agent, oldest first. */
  open: ShownCommand[]
  /** True if the person who sees this page may act on the agent, as admins may. */
  canAct: boolean
}

interface AgentVersions {
  /** The version that the agent's install code installed. */
  installed: string | null
  /** The version that the agent last reported; null before it reports one. */
  running: string | null
  /** The version that the agent ran before, which its machine keeps; null if there is none. */
  previous: string | null
}

/** A binding of the agent to a product (2.9, 3.7). */
export interface AgentBinding {
  product: string
  /** The address of the product to which the agent is bound; null if the operator has removed the product. */
  origin: string | null
  role: string
  scopes: string[]
  /**
   * The bot that acts for the agent in the product; null if the agent has no token there, for example because the bot
   * was deleted.
   */
  bot: { id: string; name: string } | null
  token: BotTokenState | 'none'
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
  /**
   * The health item `Binding <product>` of the last report; null if there is none, or if the service knows better: the
   * token is not valid, or the workspace is not activated for the product.
   */
  health: { level: Level; detail: string | null } | null
  /** True if the binding does not work. False for a binding that only the wished version needs. */
  broken: boolean
  /** The problem of the binding and how to fix it; null if there is no problem. */
  mends: string | null
}

/** A change that somebody made on the agent's machine. */
export interface MachineChange {
  at: number
  kind: 'pause' | 'setting' | 'version'
  /** The key of the setting that was changed; null if something else was changed. */
  key: string | null
  /**
   * The values before and after the change: booleans for a pause, texts for a version, the setting's values for a
   * setting. Null means not set.
   */
  before: SettingValue
  after: SettingValue
}

/** A page of the list of an agent's kept runs. */
export interface Runs extends LeftOff {
  total: number
  /** The runs in the order that was asked for, by default newest first. */
  rows: Run[]
}
export type RunSort = 'started' | 'cost' | 'duration'

/** The last runs of one job, among the kept runs of the agent. */
export interface JobRuns {
  job: string
  /** The last runs of the job, at most 30, the oldest first. */
  runs: JobRun[]
  /** The id of the newest failed run whose output people can request as a log; null if there is none. */
  printed: string | null
}
/** One run of a job. */
export interface JobRun {
  id: string
  /** The start of the run in Unix seconds; null if the agent did not report it. */
  started: number | null
  /** The seconds that the run took; null for a run in progress, or without times. */
  seconds: number | null
  status: string | null
}

/** The runs, costs and tokens of an agent on one day. */
export interface UsageDay {
  /** A day in UTC, such as `2026-11-21`. */
  day: string
  runs: number
  cost: number
  outputTokens: number
  /** The cost of each model on this day, in US dollars. */
  models: Record<string, number>
}

/** A command with its state and the agent's answer. */
export interface ShownCommand {
  id: string
  type: CommandType
  payload: SettingValues | { name: string } | Record<string, never>
  /** True if the payload was too large for a list and was shortened. */
  short?: true
  state: CommandState
  createdAt: number
  createdBy: string
  deliveredAt: number | null
  failedAt: number | null
  answeredAt: number | null
  message: string | null
  /** When the command times out; null once the command can no longer time out (D2). */
  dueAt: number | null
  /** The id of the log that the agent uploaded in answer to the command; null if there is none or it has expired. */
  logId: string | null
}
/** A page of the list of an agent's commands. */
export interface Commands extends LeftOff {
  total: number
  rows: ShownCommand[]
}
/** The result for one agent of a command that was sent to many. */
export interface BulkResult {
  agent: string
  ok: boolean
  /** The reason why the agent got no command; null if `ok`. */
  message: string | null
}

/** An agent with its sorted tags, after a change of them. */
export interface TaggedAgent {
  name: string
  tags: string[]
}

/** An agent with a new token. */
export interface NewToken {
  name: string
  /** The token of the agent, which is shown only in this answer. */
  token: string
}

/** A log in a list, without its text. */
export interface LogEntry {
  id: string
  name: string
  receivedAt: number
  bytes: number
  expiresAt: number
  askedBy: string
}
/** A log with its text. */
export interface LogText extends LogEntry {
  text: string
}
