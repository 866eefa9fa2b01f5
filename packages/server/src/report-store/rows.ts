/** What the rules of a report are given and what they decide, the same for both engines. Times are Unix milliseconds. */
import type { Command, Level, Report } from '@svc/protocol'
import type { MonotonicAge } from '../commands/deliveries.ts'
import type { AgentReportRow, AgentRow, CommandRow, RunRow } from '../db/tables.ts'
import type { Served } from '../releases/store.ts'
import type { AgentVersions, MachineChange } from '../reports/machine-changes.ts'
import type { UpdateNote } from '../wishes/note.ts'
import type { AnswerVersions } from '../wishes/report.ts'
import type { Places } from './places.ts'

/** A report on its way into the store. */
export interface Submission {
  agentId: string
  /** SHA-256 of the token it came with; compared again inside the transaction (D22). */
  tokenHash: string
  report: Report
  /** The report as it came in JSON, where all of it was kept. */
  text: string | undefined
  /** Its runs in JSON, where they were written in a turn of the event loop before. */
  bodies?: readonly string[] | undefined
  /** Seconds that the answer asks for (2.7). */
  interval: number
  /** Whether the client has hung up: then nothing is claimed for it (D1). */
  gone: () => boolean
  /** Whether wishes that the agent has not heard of may be told: not by a node that is about to end. */
  offers: boolean
  /** Whoever hands in reports of one agent again and again keeps this for it, and every report comes to its rows sooner. */
  places?: Places | undefined
}

/** What is stored about one agent and matters to its report; read in the transaction that writes. */
export interface AgentRows {
  workspaceId: string
  tokenHash: string
  /** 5.4 */
  activated: boolean
  last: LastReport | undefined
  /** What its reports said of pause, settings and version; null before the first. */
  facts: string | null
  versions: AgentVersions
  /** Wishes and holds as JSON, and what the last report said of its attempts (wishes/kept.ts). */
  wishes: string | null
  attempts: string | null
  /** The release that this transaction sees (D37). */
  served: Served | undefined
  /** The sums that wait in the row of its last report (pending.ts). */
  usage: string | null
  /** Those of its kept runs that the report names, by id. */
  runs: ReadonlyMap<string, KeptRun>
  /** The lowest kept runs by D10, as many as `excess` says. */
  lowest: readonly Ranked[]
  /** Queued and unanswered ones, and those that an ack names; oldest first. */
  commands: readonly StoredCommand[]
  /** Log names of kept runs and of its manifest; only read when a queued command asks for a log. */
  logs: ReadonlySet<string>
}

export type LastReport = Pick<AgentReportRow, 'level' | 'boot' | 'seq' | 'reporters' | 'runs_kept'>
export type Ranked = Pick<RunRow, 'seq' | 'place'>
export type KeptRun = Ranked & Pick<RunRow, 'body' | 'cost_micro' | 'output_tokens'>
export type StoredCommand = Omit<CommandRow, 'agent_id' | 'created_by' | 'created_by_name'>

/** Judges one report by what is stored about its agent; undefined: there is no such agent. */
export type Decide = (rows: AgentRows | undefined, submission: Submission, now: number, age: MonotonicAge) => Decision

export type Decision =
  | { ok: false; code: 'token_unknown' | 'workspace_inactive' }
  | { ok: true; workspaceId: string; write: Writes; claimed: Command[]; answer: AnswerVersions }

/** Everything one report changes. */
export interface Writes {
  /** Undefined: the report came after a later one of the same reporter (D11). */
  report: ReportWrite | undefined
  newRuns: RunWrite[]
  changedRuns: (RunWrite & { seq: number })[]
  /** `seq` of the runs that fall out of the newest 2000. */
  trimmed: number[]
  /** Sums that go to `usage_day` now. */
  usage: readonly UsageDelta[]
  levelChange: { at: number; level: Level; label: string | null } | undefined
  commands: CommandChange[]
  /** What changed on the machine and not by a wish from here. */
  machineChanges: (Omit<MachineChange, 'before' | 'after'> & { at: number; before: string; after: string })[]
  /** The agent's own row; undefined as long as it stays as it is. */
  agent: AgentFacts | undefined
  /** Wishes, holds and attempts; undefined as long as they stay as they are. */
  wishes: AgentWishes | undefined
  updateEvents: UpdateNote[]
}
export type ReportWrite = Omit<AgentReportRow, 'agent_id'>
/** `first_seen` is only written with a new run. */
export type RunWrite = Omit<RunRow, 'seq' | 'agent_id'>
export type AgentFacts = Pick<AgentRow, 'facts' | 'reported_version' | 'previous_version'>
export type AgentWishes = Pick<
  AgentRow,
  'wishes' | 'wished_version' | 'runtime_wished' | 'runtime_granted_at' | 'attempts'
>
export interface UsageDelta {
  /** Days since 1970. */
  day: number
  /** '' for the totals. */
  model: string
  runs: number
  costMicro: number
  outputTokens: number
}
/** The columns of a command that may change, as they are afterwards. */
export type CommandChange = Pick<
  StoredCommand,
  'id' | 'state' | 'delivered_at' | 'failed_at' | 'answered_at' | 'message' | 'due_at'
>
