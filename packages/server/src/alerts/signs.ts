/** Reads facts that only the body of a report contains, from the stored report. */
import type { HealthItem, Report } from '@svc/protocol'
import type { Signs } from './conditions.ts'

const binding = /^Binding ([a-z][a-z0-9_]*)$/

export const noSigns: Signs = { process: null, bindings: [], gauges: [], started: null }

export function signsOf({
  health = [],
  gauges = [],
  active = [],
}: Pick<Report, 'health' | 'gauges' | 'active'>): Signs {
  const starts = active.flatMap(({ started }) => (started === undefined ? [] : [started]))
  return {
    process: processOf(health),
    bindings: health.flatMap(({ name, level }) => (level === 'bad' && name ? (binding.exec(name)?.[1] ?? []) : [])),
    gauges: gauges.flatMap(({ name, used, mark }) =>
      name !== undefined && used !== undefined && mark !== undefined && used >= mark ? [name] : [],
    ),
    started: starts.length === 0 ? null : Math.min(...starts),
  }
}

function processOf(health: readonly HealthItem[]): Signs['process'] {
  const level = health.find(({ name }) => name === 'Process')?.level
  return level === 'bad' || level === 'warn' ? level : null
}
