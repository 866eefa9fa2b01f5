/**
 * Keeps a report small enough (D19): panels are dropped first, then old runs, details, gauges, active runs, help of
 * settings, health and settings. Acks, state, applied and runtime always stay.
 */
import { limits, newestRuns, type Report } from '@svc/protocol'

/** The size of a report as JSON, in bytes. */
export const reportBytes = (report: Report): number => Buffer.byteLength(JSON.stringify(report))

/**
 * The steps of shrinking a report, in this order. Each is repeated until the report is small enough or the step has
 * nothing left to drop.
 */
const steps: readonly ((report: Report, now: number) => Report | undefined)[] = [
  ({ panels, ...rest }) => (panels ? { ...rest, ...unlessEmpty('panels', panels.slice(0, -1)) } : undefined),
  ({ runs, ...rest }, now) =>
    runs ? { ...rest, ...unlessEmpty('runs', newestRuns(runs, Math.floor(runs.length / 2), now)) } : undefined,
  (report) => withoutDetails(report),
  ({ gauges, ...rest }) => (gauges ? rest : undefined),
  ({ active, ...rest }) => (active ? rest : undefined),
  ({ settings, ...rest }) =>
    settings?.schema?.some((s) => s.help) ? { ...rest, settings: withoutHelp(settings) } : undefined,
  ({ health, ...rest }) => (health ? rest : undefined),
  ({ settings, ...rest }) => (settings ? rest : undefined),
]

/**
 * Shrinks a report to at most `max` bytes, as far as the steps allow. `now` is in Unix milliseconds and decides which
 * runs are old (D10).
 */
export function shrinkReport(report: Report, now: number, max: number = limits.reporterBytes): Report {
  let small = report
  for (const step of steps) {
    while (reportBytes(small) > max) {
      const smaller = step(small, now)
      if (!smaller) break
      small = smaller
    }
  }
  return small
}

/** An object with the list `items` as the value of `key`; an object without that key if the list is empty. */
const unlessEmpty = <K extends string, T>(key: K, items: T[]): { [key in K]?: T[] } =>
  items.length > 0 ? ({ [key]: items } as { [key in K]?: T[] }) : {}

function withoutDetails(report: Report): Report | undefined {
  const has = [report.health, report.active, report.gauges].some((items) =>
    items?.some((item) => item.detail !== undefined),
  )
  if (!has) return undefined
  const bare = <T extends { detail?: string }>({ detail: _, ...item }: T) => item
  return {
    ...report,
    ...(report.health && { health: report.health.map(bare) }),
    ...(report.active && { active: report.active.map(bare) }),
    ...(report.gauges && { gauges: report.gauges.map(bare) }),
  }
}

const withoutHelp = (settings: NonNullable<Report['settings']>) => ({
  ...settings,
  ...(settings.schema && { schema: settings.schema.map(({ help: _, ...setting }) => setting) }),
})
