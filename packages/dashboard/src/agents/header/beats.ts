/**
 * The rhythm of an agent's reports while its page is open. Pure. Times are Unix milliseconds by the service's clock.
 */
import type { AgentPage } from '@svc/api'
import { count, lastingText } from '../../ui/index.ts'

/** A report as the page saw it arrive. */
export interface ReportBeat {
  readonly at: number
  /** The time after which the next one was due, in milliseconds. */
  readonly interval: number
}

type Heard = Pick<AgentPage, 'seenAt' | 'nextReportAt'>

/** The number of reports that are kept, and the one before them. */
const maxBeats = 31
/** The number of intervals without a report after which the beats begin again. */
const missedIntervals = 3

/** The beats after the page has been read again; the same ones if no report has arrived. */
export function beatsAfter(beats: readonly ReportBeat[], { seenAt, nextReportAt }: Heard): readonly ReportBeat[] {
  const last = beats.at(-1)
  if (seenAt === null || nextReportAt === null || last?.at === seenAt) return beats
  const beat = { at: seenAt, interval: nextReportAt - seenAt }
  // After such a long time the page has missed reports, for example while it was hidden, or the agent was offline.
  if (last && seenAt - last.at > missedIntervals * last.interval) return [beat]
  return [...beats.filter(({ at }) => at < seenAt), beat].slice(-maxBeats)
}

interface BeatBar {
  at: number
  /** The height from 0 to 1. A report in time has half of it. */
  tall: number
  /** True if the report came more than half an interval late. */
  isLate: boolean
}

/** The bars of the reports that arrived while the page was open. The first beat was there before. */
export const beatBarsOf = (beats: readonly ReportBeat[]): BeatBar[] =>
  beats.slice(1).map(({ at }, i) => {
    const before = beats[i] as ReportBeat
    const intervals = (at - before.at) / Math.max(1, before.interval)
    return { at, tall: Math.min(1, intervals / 2), isLate: intervals > 1.5 }
  })

/** The bars in a sentence. */
export function beatWords(beats: readonly ReportBeat[]): string {
  const bars = beatBarsOf(beats)
  const late = bars.filter(({ isLate }) => isLate).length
  const interval = lastingText(beats.at(-1)?.interval ?? 0)
  return `${count(bars.length, 'report')} while this page was open, one is due each ${interval}; ${late === 0 ? 'none' : late} late`
}

/**
 * The share of the time until the next report that has passed, in steps of 5%: above 1 once it is late, and -1 if none
 * is expected.
 */
export function nextReportShare({ seenAt, nextReportAt }: Heard, now: number): number {
  if (seenAt === null || nextReportAt === null) return -1
  return Math.max(0, Math.round(((now - seenAt) / Math.max(1, nextReportAt - seenAt)) * 20) / 20)
}
