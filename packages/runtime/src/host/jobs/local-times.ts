/**
 * Finds the next time of a schedule in a zone of which only the offsets are known. When clocks change, the times are
 * those of cron, and the same as for a zone that Node knows. Pure; times are Unix seconds, and a local time is the Unix
 * time at which UTC shows it.
 */
import { changeAfter, type Offsets } from './zone-rules.ts'

type Next = (at: number) => number | undefined

const day = 86_400
/** Clocks have never been changed by more than this, but for days that were left out. */
const maxChange = 3 * 3600

/**
 * Returns the function that finds the next time after a time. `nextLocal` finds the next local time of the schedule.
 * A job whose hour and minute are fixed runs once where a local time comes twice, and at the change if it is left out.
 */
export const nextIn = (offsets: Offsets, nextLocal: Next, isFixed: boolean): Next =>
  isFixed ? (at) => nextFixed(offsets, nextLocal, at) : (at) => nextOfAll(offsets, nextLocal, at)

function nextFixed(offsets: Offsets, nextLocal: Next, at: number): number | undefined {
  let local = nextLocal(at + offsets(at) - maxChange)
  while (local !== undefined) {
    const time = timeOf(offsets, local)
    if (time > at) return time
    local = nextLocal(local)
  }
  return undefined
}

/** The first time at which the clocks show a local time; the change of the clocks if they leave it out. */
function timeOf(offsets: Offsets, local: number): number {
  const [before, after] = [offsets(local - day), offsets(local + day)]
  const shown = [local - before, local - after].filter((at) => at + offsets(at) === local)
  if (shown.length > 0) return Math.min(...shown)
  return changeAfter(offsets, local - day, local + day) ?? local - after
}

/** Looks at each time between two changes of the clocks by itself. */
function nextOfAll(offsets: Offsets, nextLocal: Next, at: number): number | undefined {
  for (let [from, after] = [at, at]; ; ) {
    const offset = offsets(from)
    const local = nextLocal(after + offset)
    if (local === undefined) return undefined
    const change = changeAfter(offsets, from, local - offset)
    if (change === undefined) return local - offset
    ;[from, after] = [change, change - 1]
  }
}
