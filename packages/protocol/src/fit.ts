/** D19: a report that is too big would be refused for ever and look like an offline agent, so the reporter makes it fit. */
import { limits } from './limits.ts'
import type { Report } from './report.ts'

const encoder = new TextEncoder()
const sizeOf = (report: Report): number => encoder.encode(JSON.stringify(report)).length

/**
 * The report, made to fit into `max` bytes of JSON: first without panels, then with fewer and fewer of the older runs,
 * then without details, at last without what can be left out. Acks, state, applied and runtime always stay.
 */
export function fitReport(report: Report, max: number = limits.reporterBytes): Report {
  let fitting = report
  for (const smaller of steps) {
    if (sizeOf(fitting) <= max) return fitting
    fitting = smaller(fitting)
  }
  return fitting
}

type Step = (report: Report) => Report

const withoutDetail = <T extends { detail?: string }>(items: readonly T[]): T[] =>
  items.map(({ detail: _, ...rest }) => rest as T)

/** The newest come first where runs say when they started; the order of the report is kept. */
const newest =
  (count: number): Step =>
  (report) => {
    if (!report.runs || report.runs.length <= count) return report
    const order = [...report.runs].sort((a, b) => (b.started ?? 0) - (a.started ?? 0))
    const stay = new Set(order.slice(0, count))
    return { ...report, runs: report.runs.filter((one) => stay.has(one)) }
  }

const steps: readonly Step[] = [
  ({ panels: _, ...rest }) => rest,
  ...[250, 120, 60, 30, 15, 7, 3, 0].map(newest),
  (report) => ({
    ...report,
    ...(report.health && { health: withoutDetail(report.health) }),
    ...(report.active && { active: withoutDetail(report.active) }),
    ...(report.gauges && { gauges: withoutDetail(report.gauges) }),
  }),
  ({ active: _, ...rest }) => rest,
  ({ gauges: _, ...rest }) => rest,
  ({ health: _, ...rest }) => rest,
  ({ settings: _, ...rest }) => rest,
]
