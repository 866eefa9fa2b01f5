import { useEffect, useRef } from 'react'
import { lastingText, useClock } from '../../ui/index.ts'

/**
 * Counts down to `until` (Unix milliseconds of the service's clock), and calls `onOver` once when that time is over.
 */
export function Countdown({ until, onOver }: { until: number; onOver?: () => unknown }) {
  const left = useClock((now) => Math.ceil((until - now) / 1000))
  const called = useRef(false)
  useEffect(() => {
    if (left > 0 || called.current) return
    called.current = true
    onOver?.()
  }, [left, onOver])
  // The countdown is not live for screen readers, which would otherwise announce each second.
  return (
    <span className="in-left" role="timer" aria-live="off" data-soon={left < 120}>
      {left > 0 ? `Expires in ${lastingText(left * 1000)}.` : 'Expired.'}
    </span>
  )
}
