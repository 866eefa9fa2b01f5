import { readStrip } from '@svc/api/words'
import { useMemo } from 'react'
import { backgroundOf, dayWords, stretchesOf } from './day.ts'

/** The last 24 hours of an agent as the service sent them, and the time at which they end. */
export interface StripText {
  text: string
  until: number
}

/** Shows the last 24 hours of an agent as one element with a background. It is empty until they are known. */
export function DayStrip({ strip }: { strip: StripText | undefined }) {
  const drawn = useMemo(() => {
    if (!strip) return undefined
    const spans = readStrip(strip.text)
    return { style: backgroundOf(stretchesOf(spans)), words: dayWords(spans, strip.until) }
  }, [strip])
  if (!drawn) return <span className="fleet-strip" />
  return <span className="fleet-strip" role="img" aria-label={drawn.words} title={drawn.words} style={drawn.style} />
}
