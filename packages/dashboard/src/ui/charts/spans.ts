/** Turns changes (newest first) into periods of one level each, oldest first. */

interface Change<L> {
  readonly at: number
  readonly level: L
  readonly label: string | null
}
interface Span<L> {
  readonly level: L
  readonly label: string | null
  /** The start and the end of the span in Unix milliseconds. `from` may be before the period that is shown. */
  readonly from: number
  readonly to: number
}

/**
 * Returns the spans between `start` and `end`, each with one level. Neighbours with the same level and label become
 * one. The first may begin before `start`.
 */
export function spansOf<L>(changes: readonly Change<L>[], start: number, end: number): Span<L>[] {
  const spans: Span<L>[] = []
  const oldestFirst = [...changes].sort((a, b) => a.at - b.at)
  for (const [i, { at, level, label }] of oldestFirst.entries()) {
    const to = Math.min(oldestFirst[i + 1]?.at ?? end, end)
    const last = spans.at(-1)
    if (to <= start || at >= to) continue
    if (last && last.level === level && last.label === label && last.to === at)
      spans[spans.length - 1] = { ...last, to }
    else spans.push({ level, label, from: at, to })
  }
  return spans
}

/** The share of each level, from 0 to 1, in the part of the shown period for which a level is known. */
export function sharesOf<L>(spans: readonly Span<L>[], start: number): Map<L, number> {
  const times = new Map<L, number>()
  let all = 0
  for (const { level, from, to } of spans) {
    const time = to - Math.max(from, start)
    all += time
    times.set(level, (times.get(level) ?? 0) + time)
  }
  return new Map([...times].map(([level, time]) => [level, all > 0 ? time / all : 0]))
}
