import './heartbeat.css'
import type { AgentPage } from '@svc/api'
import { useEffect, useState } from 'react'
import { count, lastingText, useClock } from '../../ui/index.ts'
import type { Agent } from '../parts/agent.ts'

/** The maximum number of bars. One more report is kept, because the height of a bar depends on the report before it. */
const maxBars = 30
/** The size of the picture in pixels. */
const width = 90
const height = 12
const beatWidth = width / maxBars
const barWidth = 2
const minHeight = 3

/**
 * Shows a bar for each report that arrived while the page was open, and a line that fills until the next report is due.
 * The height of a bar is the time since the report before it.
 */
export function Heartbeat({ agent: { page, offline } }: { agent: Agent }) {
  const [known, setKnown] = useState<readonly ReportBeat[]>([])
  const beats = beatsAfter(known, page)
  if (beats !== known) setKnown(beats)
  // A hidden tab misses reports, so the bars begin again.
  useEffect(() => {
    const anew = () => setKnown([])
    document.addEventListener('visibilitychange', anew)
    return () => document.removeEventListener('visibilitychange', anew)
  }, [])
  const share = useClock((now) => nextReportShare(page, now))
  if (share === -1 || offline) return null
  const bars = beatBarsOf(beats)
  const words = beatWords(beats)
  return (
    <span className="ag-beats" title="Fills until the next report is due">
      {bars.length > 0 && (
        <svg width={width} height={height} role="img" aria-label={words}>
          <title>{words}</title>
          {bars.map(({ at, tall, isLate }, i) => {
            const size = Math.max(minHeight, tall * height)
            return (
              <rect
                key={at}
                data-late={isLate}
                x={width - (bars.length - i) * beatWidth}
                y={height - size}
                width={barWidth}
                height={size}
              />
            )
          })}
        </svg>
      )}
      <span className="ag-beats-due" data-late={share > 1} aria-hidden>
        <span style={{ width: `${Math.min(1, share) * 100}%` }} />
      </span>
    </span>
  )
}

// The rhythm of an agent's reports while its page is open. Pure. Times are Unix milliseconds by the service's clock.

/** A report as the page saw it arrive. */
export interface ReportBeat {
  readonly at: number
  /** The time after which the next report was due, in milliseconds. */
  readonly interval: number
}

type ReportTimes = Pick<AgentPage, 'seenAt' | 'nextReportAt'>

/** The number of intervals without a report after which the beats begin again. */
const missedIntervals = 3

/** Adds a new report to the beats. Returns the same array if no new report has arrived. */
export function beatsAfter(beats: readonly ReportBeat[], { seenAt, nextReportAt }: ReportTimes): readonly ReportBeat[] {
  const last = beats.at(-1)
  if (seenAt === null || nextReportAt === null || last?.at === seenAt) return beats
  const beat = { at: seenAt, interval: nextReportAt - seenAt }
  // The page has missed reports, for example while it was hidden, or the agent was offline.
  if (last && seenAt - last.at > missedIntervals * last.interval) return [beat]
  return [...beats.filter(({ at }) => at < seenAt), beat].slice(-maxBars - 1)
}

interface BeatBar {
  at: number
  /** The height from 0 to 1. The bar of a report that came in time has 0.5. */
  tall: number
  /** True if the report came more than half an interval late. */
  isLate: boolean
}

/**
 * The bars of the reports that arrived while the page was open. The first beat has no bar, because the report before it
 * is not known.
 */
export const beatBarsOf = (beats: readonly ReportBeat[]): BeatBar[] =>
  beats.slice(1).map(({ at }, i) => {
    const before = beats[i] as ReportBeat
    const intervals = (at - before.at) / Math.max(1, before.interval)
    return { at, tall: Math.min(1, intervals / 2), isLate: intervals > 1.5 }
  })

/** Puts the bars into words. */
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
export function nextReportShare({ seenAt, nextReportAt }: ReportTimes, now: number): number {
  if (seenAt === null || nextReportAt === null) return -1
  return Math.max(0, Math.round(((now - seenAt) / Math.max(1, nextReportAt - seenAt)) * 20) / 20)
}
