/** What one report does (D1), as a pure function of what is stored: both engines read the rows, ask this, and write. */
import type { Report } from '@svc/protocol'
import { type MonotonicAge, settleAcks, settleAndClaim } from '../commands/settle.ts'
import { columnsOf } from './columns.ts'
import type { AgentRows, Decision, LastReport, StoredCommand, Submission, Writes } from './rows.ts'
import { mergeRuns } from './runs.ts'

/** Judges a report in the transaction that will store it: token and activation again (D22, 5.4), then everything else. */
export function decide(rows: AgentRows | undefined, submission: Submission, now: number, age: MonotonicAge): Decision {
  if (!rows || rows.tokenHash !== submission.tokenHash) return { ok: false, code: 'token_unknown' }
  if (!rows.activated) return { ok: false, code: 'workspace_inactive' }
  const { report } = submission
  if (isLate(report, rows.last)) return onlyAcks(rows, report, now)
  const { runsKept, ...runs } = mergeRuns(report, rows.runs, rows.lowest, rows.last, now)
  const columns = columnsOf(report, rows.last, submission.interval, now)
  const { changes, claimed } = settleAndClaim(rows.commands, report, now, {
    claims: rows.commands.length > 0 && !submission.gone(),
    logs: rows.logs,
    age,
  })
  const { level, label } = columns
  return {
    ok: true,
    workspaceId: rows.workspaceId,
    claimed,
    write: {
      report: { ...columns, runsKept },
      ...runs,
      levelChange: level !== null && level !== rows.last?.level ? { at: now, level, label } : undefined,
      commands: changes,
    },
  }
}

/** D11: the same reporter has already sent a later report. */
const isLate = (report: Report, last: LastReport | undefined): boolean =>
  report.boot !== undefined &&
  report.seq !== undefined &&
  last !== undefined &&
  last.boot === report.boot &&
  last.seq !== null &&
  report.seq < last.seq

/** D11: such a report may still bring acks, but changes nothing else and claims nothing. */
function onlyAcks(rows: AgentRows, report: Report, now: number): Decision {
  const commands = settleAcks(rows.commands, report.acks ?? [], now).filter((c, i) => c !== rows.commands[i])
  return { ok: true, workspaceId: rows.workspaceId, claimed: [], write: { ...nothing, commands } }
}

const nothing: Writes = {
  report: undefined,
  newRuns: [],
  changedRuns: [],
  trimmed: [],
  usage: [],
  levelChange: undefined,
  commands: [],
}

/** Whether the log names of kept runs matter to this report (D6). */
export const asksForLog = (commands: readonly StoredCommand[]): boolean =>
  commands.some((c) => c.state === 'queued' && c.type === 'log')
