import type { Gauge } from '@svc/protocol'
import { figure, percent } from '../../../ui/format.ts'

interface GaugeView {
  /** The used amount as text; null if the agent reported none. */
  readonly text: string | null
  readonly markText: string | null
  /** The length of the bar and the position of the mark, as shares of the whole width. */
  readonly used: number | null
  readonly mark: number | null
  readonly max: number
  /** True if the figure has reached its mark. */
  readonly over: boolean
}

/**
 * Figures are shares from 0 to 1 (2) and may exceed that a little: 1.05 of a budget is 105%. If mark or figure are far
 * from a share, they are plain numbers, on a bar that ends at the larger of the two.
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
