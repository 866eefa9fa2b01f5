import './heartbeat.css'
import { useEffect, useState } from 'react'
import { useClock } from '../../ui/index.ts'
import type { Agent } from '../parts/agent.ts'
import { beatBarsOf, beatsAfter, beatWords, nextReportShare, type ReportBeat } from './beats.ts'

const barWidth = 4
const beatWidth = 6
const height = 16
const minHeight = 3

/**
 * Shows the rhythm of the reports: a bar for each one that arrived while the page was open, as high as the time since
 * the one before, and a line that fills until the next one is due. Earlier reports are not stored, so nothing is shown
 * of them.
 */
export function Heartbeat({ agent: { page, offline } }: { agent: Agent }) {
  const [known, setKnown] = useState<readonly ReportBeat[]>([])
  const beats = beatsAfter(known, page)
  if (beats !== known) setKnown(beats)
  // A hidden tab misses reports.
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
        <svg width={bars.length * beatWidth} height={height} role="img" aria-label={words}>
          <title>{words}</title>
          {bars.map(({ at, tall, isLate }, i) => {
            const size = Math.max(minHeight, tall * height)
            return (
              <rect key={at} data-late={isLate} x={i * beatWidth} y={height - size} width={barWidth} height={size} />
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
