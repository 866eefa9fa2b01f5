/** Turns changes of an agent's level into periods with one level each, from the oldest to the newest. */

interface Change<L> {
  readonly at: number
  readonly level: L
  readonly label: string | null
}
interface Span<L> {
  readonly level: L
  readonly label: string | null
  /**
   * The start and the end of the period in Unix milliseconds. `from` may be before the part of the time that the page
   * shows.
   */
  readonly from: number
  readonly to: number
}

/**
 * Returns the periods between `start` and `end`, each with one level. Neighbouring periods with the same level and
 * label are merged. The first period may begin before `start`.
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

/** Returns the share of each level, from 0 to 1. Only time after `start` for which a level is known counts. */
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
