/** What of a report stands in columns of its own, so that lists need no body. */
import { cut, limits, type Report } from '@svc/protocol'
import { bodyOf } from './body.ts'
import { rememberReporter } from './reporters.ts'
import type { LastReport, ReportWrite, Submission } from './rows.ts'

export function columnsOf(
  { report, text, interval }: Submission,
  last: LastReport | undefined,
  { runsKept, usage }: Pick<ReportWrite, 'runsKept' | 'usage'>,
  now: number,
): ReportWrite {
  const { state } = report
  return {
    receivedAt: now,
    level: state?.level ?? null,
    label: state?.label ?? null,
    detail: state?.detail ?? null,
    version: report.agent?.version ?? report.applied?.version ?? null,
    doing: doingNow(report),
    controls: report.controls ? JSON.stringify(report.controls) : '[]',
    interval,
    boot: report.boot ?? null,
    seq: report.seq ?? null,
    reporters: rememberReporter(last?.reporters ?? '', report),
    runsKept,
    statusAt: report.status_at ?? null,
    statusLate: report.status_at === undefined ? null : isLate(report, report.status_at, now),
    stopped: report.stopped ?? null,
    usage,
    body: bodyOf(report, text),
  }
}

/** D65: the status file is more than ten minutes old, and the runtime calls that too old. Asked of few reports. */
const isLate = ({ health = [] }: Report, statusAt: number, now: number): number =>
  statusAt + limits.statusLateSeconds < now / 1000 &&
  health.some(({ name, level }) => name === 'Status file' && level === 'warn')
    ? 1
    : 0

/** One line: what the agent does now, by its first active run; null when it does nothing or does not say. */
export function doingNow({ active }: Report): string | null {
  const first = active?.[0]
  if (!active || !first) return null
  const { kind = '' } = first
  const what = first.detail ?? first.subjects?.[0]?.title ?? ''
  const line = kind !== '' && what !== '' ? `${kind}: ${what}` : kind + what
  const more = active.length > 1 ? ` (and ${active.length - 1} more)` : ''
  return line === '' && more === '' ? null : cut(line, limits.detail) + more
}
