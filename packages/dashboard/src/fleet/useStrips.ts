/** Asks for the strips of the agents in sight: one request at a time, and none for strips that are still up to date. */
import type { FleetRow } from '@svc/api'
import { pausedLabel } from '@svc/protocol'
import { useEffect, useRef, useState } from 'react'
import { call } from '../data/api.ts'
import { isReportOverdue, serviceNow } from '../ui/index.ts'
import type { StripText } from './row/DayStrip.tsx'

interface KnownStrip extends StripText {
  /** The state of the agent when its strip was requested. The strip is requested again when the state changes. */
  state: string
  /** When the strip arrived, by the clock of this tab. */
  at: number
}
type KnownStrips = Map<string, KnownStrip>

/**
 * The maximum number of names in a request, which are in its address. The service takes more, but a proxy such as nginx
 * refuses an address of more than 8 KB: a hundred of the longest names are 6.6 KB.
 */
const namesAtOnce = 100
/** The age in milliseconds at which a strip is loaded again, because time has passed since its end. */
const oldMs = 60_000
/** The milliseconds before any request, between two requests that only refresh strips, and after a failed request. */
const pauses = { scrolling: 150, changes: 2_000, failed: 10_000 } as const

const stateOf = ({ level, label, stopped, silentAt }: FleetRow, now: number): string =>
  `${level} ${label === pausedLabel} ${stopped} ${isReportOverdue(silentAt, now)}`

/** The names of the agents whose strips are missing or out of date; `missing` is true if any is missing. */
export function namesWithoutStrip(
  rows: readonly FleetRow[],
  known: ReadonlyMap<string, Pick<KnownStrip, 'state' | 'at'>>,
  { at, now }: { at: number; now: number },
): { names: string[]; missing: boolean } {
  let missing = false
  const names = rows.flatMap((row) => {
    const strip = known.get(row.name)
    if (!strip) missing = true
    return strip && strip.state === stateOf(row, now) && at - strip.at < oldMs ? [] : [row.name]
  })
  return { names: names.slice(0, namesAtOnce), missing }
}

/** Returns a function that gives the strip of an agent, or undefined until that strip is loaded. */
export function useStrips(
  slug: string,
  rows: readonly FleetRow[],
  wanted: boolean,
): (name: string) => StripText | undefined {
  const [, redraw] = useState(0)
  const near = useRef(rows)
  near.current = wanted ? rows : []
  const asking = useRef<StripRequests>(undefined)
  if (asking.current?.slug !== slug) {
    asking.current?.end()
    asking.current = newAsking(slug, near, () => redraw((times) => times + 1))
  }
  const { known, plan, end } = asking.current
  useEffect(plan)
  useEffect(() => end, [end])
  return (name) => known.get(name)
}

interface StripRequests {
  slug: string
  known: KnownStrips
  /** Plans a request if strips are missing or out of date, and no request is running or planned. */
  plan: () => void
  end: () => void
}

function newAsking(slug: string, near: { readonly current: readonly FleetRow[] }, arrived: () => void): StripRequests {
  const known: KnownStrips = new Map()
  let timer: ReturnType<typeof setTimeout> | undefined
  let request: AbortController | undefined
  let notBefore = 0

  const toAsk = () => namesWithoutStrip(near.current, known, { at: performance.now(), now: serviceNow() })
  const plan = () => {
    if (timer !== undefined || request) return
    const { names, missing } = toAsk()
    if (names.length === 0) return
    const wait = Math.max(pauses.scrolling, missing ? 0 : notBefore - performance.now())
    timer = setTimeout(() => void ask(), wait)
  }
  const ask = async () => {
    timer = undefined
    const { names } = toAsk()
    if (names.length === 0 || document.hidden) return
    const states = new Map(near.current.map((row) => [row.name, stateOf(row, serviceNow())]))
    const own = new AbortController()
    request = own
    try {
      const { strips, until } = await call(
        'GET /w/:slug/history/strips',
        { slug },
        { names: names.join(',') },
        own.signal,
      )
      const at = performance.now()
      // A name that the service does not know gets an empty strip, so it is not requested again at once.
      for (const name of names) known.set(name, { text: strips[name] ?? '', until, at, state: states.get(name) ?? '' })
      notBefore = at + pauses.changes
      request = undefined
      arrived()
    } catch {
      request = undefined
      if (own.signal.aborted) return
      timer = setTimeout(() => {
        timer = undefined
        plan()
      }, pauses.failed)
    }
  }
  const end = () => {
    clearTimeout(timer)
    timer = undefined
    request?.abort()
    request = undefined
  }
  return { slug, known, plan, end }
}
