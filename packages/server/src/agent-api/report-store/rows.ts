/** Types for judging a report: the facts it is judged by, and what it changes. Times are Unix milliseconds. */
import type { Command, Level, SettingValue, StoppedBy } from '@svc/protocol'
import type { MonotonicAge } from '../../fleet/commands/deliveries.ts'
import type { CommandChange, StoredCommand } from '../../fleet/commands/row.ts'
import type { LastReport, ReceivedReport, ReportWrite, UsageDelta } from '../../fleet/reports/stored.ts'
import type { MachineChangeTable } from '../../platform/db/tables/reports.ts'
import type { AgentRow, RunRow } from '../../platform/db/tables.ts'
import type { ServedRelease } from '../../updates/releases/store.ts'
import type { UpdateNote } from '../../updates/wishes/note.ts'
import type { AnswerVersions } from '../../updates/wishes/report.ts'
import type { RowNumbers } from './row-numbers.ts'

/** A report to be stored. */
export interface Submission extends ReceivedReport {
  agentId: string
  /** The SHA-256 of the token with which the report was sent. The transaction compares it again (D22). */
  tokenHash: string
  /** The runs of the report as JSON, if the caller has already written them. */
  bodies?: readonly string[] | undefined
  /** True when the client has disconnected; then the answer carries no commands and no new wishes (D1). */
  gone: () => boolean
  /** True if the answer may carry wishes that no earlier answer carried; false while this node shuts down. */
  offers: boolean
  /**
   * Row numbers of this agent, cached by the caller between reports so that its rows are found without an index lookup.
   */
  rowNumbers?: RowNumbers | undefined
}

/** The stored facts about an agent that matter to its report, read in the transaction that writes. */
export interface AgentRows {
  workspaceId: string
  tokenHash: string
  /** True if the agent's workspace is activated for this service (5.4). */
  activated: boolean
  last: LastReport | undefined
  /** The pause, the settings and the version that the agent last reported, as JSON; null before its first report. */
  facts: string | null
  versions: AgentVersions
  /** The wishes and holds, as JSON (updates/wishes/kept.ts). */
  wishes: string | null
  /** The update attempts of the last report, as JSON. */
  attempts: string | null
  /** The release that is served, as this transaction sees it (D37). */
  served: ServedRelease | undefined
  /** The daily sums of usage that are stored with the agent's last report, as JSON (pending.ts). */
  usage: string | null
  /** The stored runs that the report names, by id. */
  runs: ReadonlyMap<string, KeptRun>
  /** The oldest stored runs by `place` (D10). `excessRuns` computes how many are read. */
  lowest: readonly RankedRun[]
  /** The commands that are not finished, oldest first, and then the others that an ack of the report names. */
  commands: readonly StoredCommand[]
  /** The log names of kept runs and of the manifest; read only when a command for a log is queued. */
  logs: ReadonlySet<string>
}

/** The blueprint of an agent, with the installed, the reported and the previous version. */
export interface AgentVersions {
  /** The agent's blueprint; null for an agent that was connected by hand, whose versions are not tracked. */
  blueprint: string | null
  installed: string | null
  reported: string | null
  previous: string | null
}

/** A change that was made on an agent's machine. */
export interface MachineChange {
  kind: MachineChangeTable['kind']
  /** The key of the changed setting; null for a pause and for a version. */
  key: string | null
  before: SettingValue
  after: SettingValue
}

/** The row number of a stored run, and the time by which runs are sorted (D10). */
export type RankedRun = Pick<RunRow, 'seq' | 'place'>
/** A stored run as it is needed to see what a report changes about it. */
export type KeptRun = RankedRun & Pick<RunRow, 'body' | 'cost_micro' | 'output_tokens'>

/** Judges one report by the stored facts about its agent; `rows` is undefined when there is no such agent. */
export type DecideReport = (
  rows: AgentRows | undefined,
  submission: Submission,
  now: number,
  age: MonotonicAge,
) => ReportDecision

export type ReportDecision =
  | { ok: false; code: 'token_unknown' | 'workspace_inactive' }
  | { ok: true; workspaceId: string; write: ReportWrites; claimed: Command[]; answer: AnswerVersions }

/** Everything that one report changes. */
export interface ReportWrites {
  /** The new row of the last report; undefined if the report arrived after a later one of the same reporter (D11). */
  report: ReportWrite | undefined
  newRuns: RunWrite[]
  changedRuns: (RunWrite & { seq: number })[]
  /** The `seq` of the runs that are deleted, because 2000 newer runs are kept. */
  trimmed: number[]
  /** The daily sums to add to the table `usage_day`. */
  usage: readonly UsageDelta[]
  levelChange: { at: number; level: Level; label: string | null; paused: 0 | 1 } | undefined
  /** The time offline that this report ends. */
  offline: { from_at: number; until_at: number; stopped: StoppedBy | null } | undefined
  /** The time of the agent's first report; undefined if this is a later report. */
  firstReport: FirstReportTime | undefined
  commands: CommandChange[]
  /** Changes that were made on the agent's machine and not by a command of the service. */
  machineChanges: (Omit<MachineChange, 'before' | 'after'> & { at: number; before: string; after: string })[]
  /** The facts and versions in the agent's row; undefined when they do not change. */
  agent: StoredFacts | undefined
  /** Wishes, holds and attempts; undefined when they do not change. */
  wishes: AgentWishes | undefined
  updateEvents: UpdateNote[]
}
export const noWrites: ReportWrites = {
  report: undefined,
  newRuns: [],
  changedRuns: [],
  trimmed: [],
  usage: [],
  levelChange: undefined,
  offline: undefined,
  firstReport: undefined,
  commands: [],
  machineChanges: [],
  agent: undefined,
  wishes: undefined,
  updateEvents: [],
}
/** The columns of a run that are written. `first_seen` is written only for a new run. */
export type RunWrite = Omit<RunRow, 'seq' | 'agent_id'>
/** The facts and versions in an agent's row, which its reports may change. */
export type StoredFacts = Pick<AgentRow, 'facts' | 'reported_version' | 'previous_version'>
/** The column of an agent's row that its first report sets. */
export type FirstReportTime = { first_report_at: number }
/** The columns of an agent's row about wishes, holds and attempts. */
export type AgentWishes = Pick<
  AgentRow,
  'wishes' | 'wished_version' | 'runtime_wished' | 'runtime_granted_at' | 'attempts'
>

/**
 * Commits a batch in one transaction and returns the decision about each report, in order; no agent is in a batch
 * twice. When it resolves, everything is durable. When it rejects with `CommitUnknown`, the commit may have happened;
 * after any other error nothing was stored.
 */
export type ReportStore = (batch: readonly Submission[], now: number, age: MonotonicAge) => Promise<ReportDecision[]>

/**
 * The error for a commit whose result is unknown. The commit may have happened, so nothing may be delivered and nothing
 * retried (D1).
 */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the commit of a batch of reports failed', { cause })
  }
}
