import type { Gauge } from '@svc/protocol'
import { figure, percent } from '../../../ui/format.ts'

interface GaugeView {
  /** What is used, as text; null when the agent named no figure. */
  readonly text: string | null
  readonly markText: string | null
  /** Where bar and mark stand, as shares of the whole bar. */
  readonly used: number | null
  readonly mark: number | null
  readonly max: number
  /** The figure has reached its mark. */
  readonly over: boolean
}

/**
 * Figures are shares from 0 to 1 (2) and may overshoot a little: 1.05 of a budget is 105%. Where mark or figure are far
 * from a share they are taken as plain numbers, on a bar that ends at the bigger of the two.
 */
export function gaugeView({ used, mark }: Gauge): GaugeView {
  const isShare = (used === undefined || (used >= 0 && used <= 2)) && (mark === undefined || (mark >= 0 && mark <= 1))
  const max = isShare ? Math.max(1, used ?? 0) : Math.max(used ?? 0, mark ?? 0, 0) * (mark === undefined ? 1 : 1.1)
  const text = isShare ? percent : figure
  const place = (n: number | undefined) => (n === undefined || !(max > 0) ? null : Math.min(1, Math.max(0, n / max)))
  return {
    text: used === undefined ? null : text(used),
    markText: mark === undefined ? null : text(mark),
    used: place(used),
    mark: place(mark),
    max,
    over: used !== undefined && mark !== undefined && used >= mark,
  }
}
