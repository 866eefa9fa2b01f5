/**
 * Decides what storing one report changes (D1), as a pure function of the stored rows. The store of reports on SQLite
 * and that on PostgreSQL read the rows, call this function, and write the changes that it returns.
 */
import type { Report } from '@svc/protocol'
import { offlineFrom } from '../../fleet/agents/offline.ts'
import type { CommandChange, StoredCommand } from '../../fleet/commands/row.ts'
import { commandBodyOf } from '../../fleet/commands/row.ts'
import { settleAcks, settleAndClaim } from '../../fleet/commands/settle.ts'
import { reportColumnsOf } from '../../fleet/reports/columns.ts'
import { addUsage } from '../../fleet/reports/pending.ts'
import type { LastReport, ReportWrite } from '../../fleet/reports/stored.ts'
import { type UpdateEffects, updateEffectsOf } from '../../updates/wishes/report.ts'
import {
  type AgentRows,
  type DecideReport,
  noWrites,
  type ReportDecision,
  type ReportWrites,
} from '../report-store/rows.ts'
import { bodiesOf } from '../report-store/run-body.ts'
import {
  type GivenCommand,
  isPaused,
  machineChanges,
  saysTheSame,
  versionsAfter,
  werePaused,
} from './machine-changes.ts'
import { mergeRuns } from './runs.ts'

/**
 * Judges a report inside the transaction that will store it. The token of the agent and the activation of its workspace
 * are checked again first, since they may have changed after the request arrived (D22, 5.4).
 */
export const decideReport: DecideReport = (rows, submission, now, age) => {
  if (!rows || rows.tokenHash !== submission.tokenHash) return { ok: false, code: 'token_unknown' }
  if (!rows.activated) return { ok: false, code: 'workspace_inactive' }
  const { report } = submission
  if (isLate(report, rows.last)) return onlyAcks(rows, report, now)
  const runs = mergeRuns(report, submission.bodies ?? bodiesOf(report), rows.runs, rows.lowest, rows.last, now)
  const usage = addUsage(rows.usage, runs.usage)
  const columns = reportColumnsOf(submission, rows.last, { runs_kept: runs.runs_kept, usage: usage.json }, now)
  const { changes, claimed } = settleAndClaim(rows.commands, report, now, {
    claims: report.stopped === undefined && !submission.gone(),
    logs: rows.logs,
    age,
  })
  const updates = updatesOf(rows, report, now, submission.offers && report.stopped === undefined && !submission.gone())
  const { machineChanges, agent } = agentAfter(rows, report, changes, updates.wished, now)
  return {
    ok: true,
    workspaceId: rows.workspaceId,
    claimed,
    answer: updates.answer,
    write: {
      report: columns,
      newRuns: runs.newRuns,
      changedRuns: runs.changedRuns,
      trimmed: runs.trimmed,
      usage: usage.due,
      levelChange: levelChangeOf(columns, isPaused(report), rows, now),
      offline: endedOffline(rows.last, now),
      firstReport: rows.last ? undefined : { first_report_at: now },
      commands: changes,
      machineChanges,
      agent,
      wishes: updates.write,
      updateEvents: updates.events,
    },
  }
}

/**
 * The row about a change of level or pause since the report before; undefined if neither changed, or if the report has
 * no level.
 */
export const levelChangeOf = (
  { level, label }: Pick<ReportWrite, 'level' | 'label'>,
  paused: boolean,
  { last, facts }: Pick<AgentRows, 'last' | 'facts'>,
  now: number,
): ReportWrites['levelChange'] =>
  level === null || (level === last?.level && paused === werePaused(facts))
    ? undefined
    : { at: now, level, label, paused: paused ? 1 : 0 }

/** The time offline before this report; undefined if the agent was not offline. */
export function endedOffline(
  last: Pick<LastReport, 'received_at' | 'interval_s' | 'stopped'> | undefined,
  now: number,
): ReportWrites['offline'] {
  if (last === undefined) return undefined
  const from_at = offlineFrom(last.received_at, last.interval_s, last.stopped)
  return from_at < now ? { from_at, until_at: now, stopped: last.stopped } : undefined
}

/** Judges the agent's wishes by the report, and decides what the answer says about them (2.7, 3.4). */
function updatesOf({ versions, wishes, attempts, served }: AgentRows, report: Report, now: number, offers: boolean) {
  const { blueprint, reported, installed } = versions
  return updateEffectsOf({ blueprint, running: reported ?? installed, wishes, attempts }, report, served, now, offers)
}

/** The changes that somebody made on the machine itself, and the columns of the agent's row to update. */
function agentAfter(
  { facts, versions, commands }: AgentRows,
  report: Report,
  changes: readonly CommandChange[],
  wished: UpdateEffects['wished'],
  now: number,
): Pick<ReportWrites, 'machineChanges' | 'agent'> {
  const given = givenOf(commands, changes)
  const next = versionsAfter(versions, report)
  if (saysTheSame(facts, report) && !given.some(({ accepted }) => accepted) && !next) return unchanged
  const compared = machineChanges(facts, report, given, now, wished)
  const { reported, previous } = next ?? versions
  return {
    agent:
      compared.facts === facts && !next
        ? undefined
        : { facts: compared.facts, reported_version: reported, previous_version: previous },
    machineChanges: compared.changes.map(({ kind, key, before, after }) => ({
      at: now,
      kind,
      key,
      before: JSON.stringify(before),
      after: JSON.stringify(after),
    })),
  }
}

const unchanged: Pick<ReportWrites, 'machineChanges' | 'agent'> = { machineChanges: [], agent: undefined }

/**
 * The commands that the agent may have carried out before it wrote the report, oldest first: delivered commands without
 * an ack, and commands that an ack in this report marks as done.
 */
function givenOf(commands: readonly StoredCommand[], changes: readonly CommandChange[]): GivenCommand[] {
  return commands.toSorted(byAge).flatMap((c) => {
    if (c.delivered_at === null || (c.state !== 'delivered' && c.state !== 'failed')) return []
    const state = changes.find(({ id }) => id === c.id)?.state ?? c.state
    const accepted = state === 'applied' || state === 'applied_late'
    return accepted || state === 'delivered' ? [{ command: commandBodyOf(c), accepted }] : []
  })
}

const byAge = (a: StoredCommand, b: StoredCommand): number => a.created_at - b.created_at || (a.id < b.id ? -1 : 1)

/** True if the reporter has already sent a report with a higher number since its last start (D11). */
const isLate = (report: Report, last: LastReport | undefined): boolean =>
  report.boot !== undefined &&
  report.seq !== undefined &&
  last !== undefined &&
  last.boot === report.boot &&
  last.seq !== null &&
  report.seq < last.seq

/**
 * The decision about a late report: it may still bring acks, but changes nothing else and claims no commands (D11). Its
 * answer names only wished versions that an earlier answer has already offered.
 */
function onlyAcks(rows: AgentRows, report: Report, now: number): ReportDecision {
  const commands = settleAcks(rows.commands, report.acks ?? [], now).filter((c, i) => c !== rows.commands[i])
  const { answer } = updatesOf(rows, report, now, false)
  return { ok: true, workspaceId: rows.workspaceId, claimed: [], answer, write: { ...noWrites, commands } }
}
