/** The tab stop of the list of agents: the one row that the Tab key reaches, and that keys move. */
import { type FocusEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { takePreviousAgent } from '../data/returning.ts'
import type { ShownFleet } from './useFleet.ts'

/** The last tab stop of each workspace's list, so that a person comes back to it. */
const lastStops = new Map<string, TabStop>()

/**
 * The tab stop of the list of agents: returns which row has it, and functions that move it. `body` must be the ref of
 * the element with the rows, and `focused` the handler of its focus events. `show` scrolls a row into view.
 */
export function useTabStop(slug: string, shown: ShownFleet, show: (index: number) => void) {
  const body = useRef<HTMLDivElement>(null)
  const [stop, setStop] = useState<TabStop>(() => lastStops.get(slug) ?? { index: 0, name: undefined })
  const index = Math.max(0, Math.min(stop.index, shown.total - 1))
  const isFocusWanted = useRef(false)
  const takeFocus = (at: number): void => {
    const row = body.current?.querySelector<HTMLElement>(`[data-row="${at}"]`)
    if (!row) return
    isFocusWanted.current = false
    row.focus({ preventScroll: true })
  }
  const move = (to: number) => {
    const next = Math.max(0, Math.min(to, shown.total - 1))
    show(next)
    setStop({ index: next, name: shown.row(next)?.name })
    isFocusWanted.current = true
    takeFocus(next)
  }
  useLayoutEffect(() => {
    if (isFocusWanted.current) takeFocus(index)
  })

  // The tab stop follows its agent when the order of the list changes, as long as the agent stays in sight.
  useLayoutEffect(() => {
    const hasFocus = body.current?.contains(document.activeElement) === true
    const at = tabStopAfter({ index, name: stop.name }, indexByAgentName(body.current, shown), shown.row(index)?.name)
    if (at.index === stop.index && at.name === stop.name) return
    setStop(at)
    if (hasFocus && at.index !== index) isFocusWanted.current = true
  })
  useEffect(() => {
    lastStops.set(slug, { index, name: stop.name })
  }, [slug, index, stop.name])

  useReturn(slug, shown, { stop, move, show })
  const focused = ({ target }: FocusEvent) => {
    const row = target.closest<HTMLElement>('[data-row]')
    const at = row ? Number(row.dataset.row) : index
    if (at !== index) setStop({ index: at, name: shown.row(at)?.name })
  }
  return { body, stop: index, move, focused }
}

/** The indexes of the rows in the document, by the names of their agents. */
function indexByAgentName(body: HTMLElement | null, shown: ShownFleet): Map<string, number> {
  const rows = [...(body?.querySelectorAll<HTMLElement>('[data-row]') ?? [])].map(({ dataset }) => Number(dataset.row))
  return new Map(rows.flatMap((index) => [[shown.row(index)?.name ?? '', index] as const]))
}

interface ReturnTarget {
  stop: TabStop
  move: (index: number) => void
  show: (index: number) => void
}

/**
 * Gives the focus to the row of the agent whose page was open just before, as soon as that row is loaded. A person who
 * meanwhile went elsewhere on the page stays there.
 */
function useReturn(slug: string, shown: ShownFleet, { stop, move, show }: ReturnTarget): void {
  const agent = useRef<string | undefined>(undefined)
  useEffect(() => {
    agent.current = takePreviousAgent(slug)
  }, [slug])
  useEffect(() => {
    if (agent.current === undefined) return
    const { activeElement: active } = document
    if (active !== document.body && active?.id !== 'content') agent.current = undefined
    const all = Array.from({ length: shown.total }, (_, index) => index)
    const index = all.find((each) => agent.current !== undefined && shown.row(each)?.name === agent.current)
    if (index !== undefined) {
      agent.current = undefined
      move(index)
    } else if (agent.current === stop.name && shown.row(stop.index) === undefined) show(stop.index)
  })
}

/** The tab stop of the list: the index of its row, and the name of the agent there, once it is known. */
export interface TabStop {
  index: number
  name: string | undefined
}

/**
 * Returns the tab stop after the list changed. It follows its agent to another row in sight; if the agent is not in
 * sight, it keeps its index and takes the agent there. `inSight` has the indexes by the names of agents.
 */
export function tabStopAfter(
  stop: TabStop,
  inSight: ReadonlyMap<string, number>,
  nameThere: string | undefined,
): TabStop {
  if (nameThere === stop.name || nameThere === undefined) return stop
  const index = stop.name === undefined ? undefined : inSight.get(stop.name)
  return index === undefined ? { index: stop.index, name: nameThere } : { index, name: stop.name }
}
