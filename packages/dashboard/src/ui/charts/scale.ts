/** Computes the scales of the charts. The functions are pure and draw nothing. */

const steps = [1, 2, 2.5, 5, 10] as const

/**
 * Returns about `count` values to mark on an axis, from 0 to a round number that is at least `max`. With `whole`, all
 * are whole numbers. If `max` is 0, the only mark is 0.
 */
export function ticksTo(max: number, { count = 3, whole = false } = {}): number[] {
  if (!(max > 0) || !Number.isFinite(max)) return [0]
  const rough = max / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const round = (steps.find((s) => s * power >= rough * (1 - 1e-9)) ?? 10) * power
  const step = whole ? Math.max(1, Math.ceil(round)) : round
  const marks: number[] = []
  for (let i = 0; ; i++) {
    const mark = Number((i * step).toPrecision(12))
    marks.push(mark)
    if (mark >= max * (1 - 1e-9)) return marks
  }
}

/**
 * Returns a function that maps numbers linearly: the first number in `from` to the first in `to`, and the second to the
 * second.
 */
export const linearScale =
  (from: readonly [number, number], to: readonly [number, number]) =>
  (value: number): number =>
    from[1] === from[0] ? to[0] : to[0] + ((value - from[0]) / (from[1] - from[0])) * (to[1] - to[0])

interface WeightedPeriod {
  from: number
  to: number
  /**
   * The importance of the period. Of several periods that are too narrow to be seen, the most important one is shown.
   */
  weight: number
}

/**
 * Returns the periods to draw, in drawing order; `x` maps times to pixels. Periods narrower than `minWidth` pixels
 * share slots of this width, each of which shows the most important one. They come last, so that no other period hides
 * them.
 */
export function drawnPeriods<T extends WeightedPeriod>(
  periods: readonly T[],
  x: (at: number) => number,
  minWidth: number,
): T[] {
  const isNarrow = ({ from, to }: T) => x(to) - x(from) < minWidth
  const narrow = new Map<number, T>()
  for (const period of periods.filter(isNarrow)) {
    const slot = Math.floor(x(period.from) / minWidth)
    const known = narrow.get(slot)
    const shown = known === undefined || period.weight > known.weight ? period : known
    narrow.set(slot, { ...shown, from: known?.from ?? period.from, to: Math.max(known?.to ?? 0, period.to) })
  }
  return [...periods.filter((period) => !isNarrow(period)), ...[...narrow.values()].sort((a, b) => a.weight - b.weight)]
}

/**
 * Divides a width among parts in proportion to their sizes, so that each part with a size gets at least `minWidth`
 * pixels, or an equal share if there is no room for that. Parts without a size get nothing.
 */
export function widthsOf(sizes: readonly number[], width: number, minWidth: number): number[] {
  const there = sizes.filter((size) => size > 0)
  const sum = there.reduce((all, size) => all + size, 0)
  const floor = there.length === 0 ? 0 : Math.min(minWidth, width / there.length)
  const rest = Math.max(0, width - floor * there.length)
  return sizes.map((size) => (size > 0 ? floor + (rest * size) / sum : 0))
}

// ---- The positions of columns in a chart ----

/** The size of a chart in pixels. */
export interface PlotSize {
  readonly width: number
  readonly height: number
}

/** The space in pixels around the columns of a chart, for the axis and the labels. */
export const plotMargin = { top: 8, right: 14, bottom: 20, left: 46 }

/** The size of the part of a chart that has the columns: the whole without the margins. */
export const innerSizeOf = ({ width, height }: PlotSize): PlotSize => ({
  width: Math.max(0, width - plotMargin.left - plotMargin.right),
  height: height - plotMargin.top - plotMargin.bottom,
})

/** The distance between the left edges of two neighbouring columns, in pixels; 0 without columns. */
export const columnStepOf = (columns: number, size: PlotSize): number =>
  columns > 0 ? innerSizeOf(size).width / columns : 0

/** The index of the column at a distance in pixels from the left edge of the chart; null if there is no column. */
export function columnAt(columns: number, size: PlotSize, x: number): number | null {
  const index = Math.floor((x - plotMargin.left) / (columnStepOf(columns, size) || 1))
  return index >= 0 && index < columns ? index : null
}
