/** The parts of a report that are also stored in separate columns, so that lists need not read the body. */
import { activeLine, cut, diskSpace, limits, missingSecrets, type Report } from '@svc/protocol'
import { reportBodyOf } from './body.ts'
import { paddedIfLarge } from './padding.ts'
import { rememberReporter } from './reporters.ts'
import { signsColumn } from './signs.ts'
import type { LastReport, ReceivedReport, ReportWrite } from './stored.ts'

/** Makes the row of an agent's last report. */
export function reportColumnsOf(
  { report, json, interval }: ReceivedReport,
  last: LastReport | undefined,
  { runs_kept, usage }: Pick<ReportWrite, 'runs_kept' | 'usage'>,
  now: number,
): ReportWrite {
  const { state } = report
  const row: ReportWrite = {
    received_at: now,
    level: state?.level ?? null,
    label: state?.label ?? null,
    detail: state?.detail ?? null,
    version: report.agent?.version ?? report.applied?.version ?? null,
    doing: doingNow(report),
    controls: report.controls ? JSON.stringify(report.controls) : '[]',
    interval_s: interval,
    boot: report.boot ?? null,
    seq: report.seq ?? null,
    reporters: rememberReporter(last?.reporters ?? '', report),
    runs_kept,
    status_at: report.status_at ?? null,
    warnings: warningsOf(report, now),
    stopped: report.stopped ?? null,
    signs: signsColumn(report, now),
    host: report.agent?.host ?? '',
    usage,
    body: reportBodyOf(report, json),
  }
  row.usage = paddedIfLarge(usage, charactersOf(row))
  return row
}

/** The number of characters in those texts of a row whose lengths change most often, except `usage`. */
const charactersOf = ({ label, detail, doing, signs, body }: ReportWrite): number =>
  (label?.length ?? 0) + (detail?.length ?? 0) + (doing?.length ?? 0) + (signs?.length ?? 0) + body.length

/**
 * The warnings of the runtime as words; null if there are none. `old` and `status` mean that the status file is older
 * than usual (D67) or much too old (D65), `secrets` that required secrets are missing, and `disk` that the machine's
 * disk is full or nearly full.
 */
function warningsOf({ health, status_at, status_old }: Report, now: number): string | null {
  const age = status_at === undefined ? 0 : now / 1000 - status_at
  const old = status_at !== undefined && (status_old ?? age > limits.statusOldSeconds)
  let words: string | null = old ? 'old' : null
  if (!health) return words
  const mayBeLate = age > limits.statusLateSeconds
  for (const { name, level } of health) {
    if (level !== 'warn' && (level !== 'bad' || name !== diskSpace)) continue
    const word = wordFor(name, mayBeLate)
    if (word !== undefined && !words?.includes(word)) words = words === null ? word : `${words} ${word}`
  }
  return words
}

function wordFor(name: string | undefined, mayBeLate: boolean): Warning | undefined {
  if (name === missingSecrets) return 'secrets'
  if (name === diskSpace) return 'disk'
  return mayBeLate && name === 'Status file' ? 'status' : undefined
}

type Warning = 'old' | 'status' | 'secrets' | 'disk'

/** True if the column of warnings contains the word. */
export const hasWarning = (warnings: string | null | undefined, word: Warning): boolean =>
  warnings?.includes(word) ?? false

/**
 * One line about what the agent is doing: its first run in progress, and the number of further ones. Null if no run is
 * in progress, or if the only one has no text.
 */
function doingNow({ active }: Report): string | null {
  const first = active?.[0]
  if (!active || !first) return null
  const line = activeLine(first)
  const more = active.length > 1 ? ` (and ${active.length - 1} more)` : ''
  return line === '' && more === '' ? null : cut(line, limits.detail) + more
}
