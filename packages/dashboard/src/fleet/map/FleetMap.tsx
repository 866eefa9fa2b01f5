import './map.css'
import { useElementSize } from '@mantine/hooks'
import { filterTest, type Grouping, mapStates, parseFilter } from '@svc/api/filter'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type MouseEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { leftOffIn } from '../../data/left-off.ts'
import { listenToFrames } from '../../data/live/frames.ts'
import { queryKeys, read } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { count, ErrorNote } from '../../ui/index.ts'
import { WaitingPage } from '../../ui/pages/WaitingPage.tsx'
import { Legend, PausedNote } from './Legend.tsx'
import {
  blockIndexOf,
  hasRoomForNames,
  type MapLayout,
  mapLayoutOf,
  squareAfter,
  squareAt,
  squarePosition,
} from './layout.ts'
import { SquareLine, SquareTip } from './SquareLine.tsx'
import { SignReader, type Signs } from './signs.tsx'
import {
  applyFrame,
  countStates,
  type FirstStates,
  focusedSquareOf,
  noteFirstStates,
  type Squares,
  squaresOf,
} from './squares.ts'
import { stateCountsText } from './states.ts'
import { Tiles, type TilesHandle } from './Tiles.tsx'
import { usePaint } from './usePaint.ts'

interface MapProps {
  slug: string
  by: Grouping | undefined
  /** The text of the filter that is applied. */
  filter: string
}

/** The map is loaded again this many milliseconds after a frame that requires it, even if more such frames follow. */
const reloadMs = 3_000
/** The milliseconds until the counts by state follow a frame. Squares follow at once. */
const countMs = 1_000

/** All agents that the filter selects, a square each, in the groups of the list. */
export default function FleetMap({ slug, by, filter }: MapProps) {
  const asked = read('GET /w/:slug/fleet/map', { slug }, { q: filter, by })
  const { data, error, refetch, dataUpdatedAt, isPlaceholderData } = useQuery({
    ...asked,
    placeholderData: keepPreviousData,
  })
  // While the answer for another grouping loads, the map shows the previous answer with its own grouping.
  const before = useRef(by)
  const answered = isPlaceholderData ? before.current : by
  useEffect(() => {
    before.current = answered
  })
  const isGrouped = answered !== undefined && (data?.groups.length ?? 0) > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter or grouping forgets the first states
  const first = useMemo<FirstStates>(() => new Map(), [slug, filter, answered])
  // biome-ignore lint/correctness/useExhaustiveDependencies: frames change `squares` in place; each answer resets it
  const squares = useMemo(
    () => data && squaresOf(data, isGrouped ? answered : undefined, first),
    [data, isGrouped, answered, first, dataUpdatedAt],
  )
  useEffect(() => {
    if (data) noteFirstStates(first, data)
  }, [first, data])
  if (error && !data) return <ErrorNote error={error} retry={() => void refetch()} />
  if (!squares) return <WaitingPage />
  return <SquareMap slug={slug} filter={filter} squares={squares} leftOff={data ? leftOffIn(data) : 0} />
}

interface SquaredProps {
  slug: string
  filter: string
  squares: Squares
  leftOff: number
}

function SquareMap({ slug, filter, squares, leftOff }: SquaredProps) {
  const { ref, width } = useElementSize()
  const { by, map } = squares
  const layout = useMemo(() => {
    const { sizes } = squares
    return mapLayoutOf(sizes, width, { grouped: by !== undefined, named: hasRoomForNames(sizes, width) })
  }, [squares, width, by])
  const paint = usePaint()
  const [signs, setSigns] = useState<Signs>()
  const tiles = useRef<TilesHandle>(null)
  useFrames({ slug, filter, squares }, (changed) => tiles.current?.redraw(changed))
  const [focused, setFocused] = useState<{ name: string; square: number }>()
  const [hovered, setHovered] = useState<number>()
  const [isByKeys, setByKeys] = useState(false)
  /** True from the beginning of a press until it chooses a square, or leaves the map without choosing one. */
  const isPressed = useRef(false)
  const navigate = useNavigate()
  const stop = focusedSquareOf(squares, focused)
  const nameAt = (square: number) => map.squares[squares.agents[square] ?? -1]?.[0] ?? ''
  const focus = (square: number) => setFocused({ name: nameAt(square), square })
  const open = (square: number) => void navigate({ to: paths.agent, params: { slug, name: nameAt(square) } })
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Enter' && stop !== undefined) return open(stop)
    const next = squareAfter(event.key, stop ?? 0, layout)
    if (next === undefined) return
    event.preventDefault()
    setByKeys(true)
    focus(next)
  }
  const at = ({ currentTarget, clientX, clientY }: MouseEvent) => {
    const { left, top } = currentTarget.getBoundingClientRect()
    return squareAt({ x: clientX - left, y: clientY - top }, layout)
  }
  // A map with names hides SquareLine, so the tip describes the square that the keys reached.
  const tipped = hovered ?? (layout.named && isByKeys ? stop : undefined)
  const counts = countStates(squares)
  const words = [
    `${count(map.squares.length, 'agent')}: ${stateCountsText(counts)}.`,
    'Arrow keys move between agents, Page Up and Page Down between groups, Enter opens an agent.',
  ]
  return (
    <section className="map" aria-label="Map of agents">
      {!layout.named && <Legend counts={counts} paint={paint} />}
      {leftOff > 0 && (
        <p className="map-note">{count(leftOff, 'agent')} more have no room on the map: filter the list to see them.</p>
      )}
      <SquareLine slug={slug} squares={squares} square={stop} paint={paint} isHidden={layout.named} />
      <div ref={ref}>
        <div
          className="map-ground"
          role="application"
          aria-roledescription="map"
          aria-label={words.join(' ')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: this element handles the keys for all squares
          tabIndex={0}
          style={{ height: layout.height }}
          onKeyDown={press}
          onFocus={({ currentTarget }) => {
            // A press focuses the square under the pointer in onClick. Focusing the first square would scroll to it.
            if (!isPressed.current && stop === undefined) focus(0)
            setByKeys(currentTarget.matches(':focus-visible'))
          }}
          onBlur={() => {
            isPressed.current = false
            setByKeys(false)
          }}
          onPointerDown={() => {
            isPressed.current = true
          }}
          onPointerCancel={() => {
            isPressed.current = false
          }}
          onPointerMove={(event) => event.pointerType === 'mouse' && setHovered(at(event))}
          onPointerLeave={({ pointerType }) => {
            // On a touch screen, this event comes before the click that ends the press.
            if (pointerType === 'mouse') isPressed.current = false
            setHovered(undefined)
          }}
          onClick={(event) => {
            isPressed.current = false
            const square = at(event)
            if (square === undefined) return
            focus(square)
            // A finger hides the small square that it presses, so SquareLine names the agent and links to it.
            if (layout.named || (event.nativeEvent as PointerEvent).pointerType === 'mouse') open(square)
          }}
        >
          {layout.named && <SignReader onRead={setSigns} />}
          {width > 0 && (!layout.named || signs) && (
            <Tiles
              ref={tiles}
              squares={squares}
              layout={layout}
              paint={paint}
              signs={layout.named ? signs : undefined}
            />
          )}
          {stop !== undefined && <FocusRing layout={layout} square={stop} />}
          {tipped !== undefined && tipped < squares.agents.length && (
            <SquareTip slug={slug} squares={squares} square={tipped} layout={layout} />
          )}
        </div>
      </div>
      {layout.named && (counts[mapStates.indexOf('paused')] ?? 0) > 0 && <PausedNote />}
      {by === 'tag' && <p className="map-note">Agents with several tags are in several groups.</p>}
    </section>
  )
}

/** Marks the square that has the focus, and keeps it in sight. */
function FocusRing({ layout, square }: { layout: MapLayout; square: number }) {
  const ring = useRef<HTMLDivElement>(null)
  const block = layout.blocks[blockIndexOf(square, layout)]
  const { x, y } = block ? squarePosition(block, square, layout) : { x: 0, y: 0 }
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only when the position of the ring changes
  useLayoutEffect(() => {
    if (ring.current?.parentElement === document.activeElement) ring.current?.scrollIntoView({ block: 'nearest' })
  }, [x, y])
  return <div ref={ring} className="map-ring" style={{ left: x, top: y, ...layout.square }} />
}

/** Applies frames to the squares, and loads the map again if a frame may have added, removed or regrouped squares. */
function useFrames(
  { slug, filter, squares }: Pick<SquaredProps, 'slug' | 'filter' | 'squares'>,
  redraw: (changed: ReadonlySet<number>) => void,
): void {
  const client = useQueryClient()
  const [, setVersion] = useState(0)
  const latest = useRef(redraw)
  useLayoutEffect(() => {
    latest.current = redraw
  })
  useEffect(() => {
    const read = parseFilter(filter)
    const terms = read.ok ? read.value.terms : []
    let timer: ReturnType<typeof setTimeout> | undefined
    let counting: ReturnType<typeof setTimeout> | undefined
    const stop = listenToFrames((frame) => {
      const { changed, reload } = applyFrame(squares, frame, filterTest(terms, frame.now))
      if (changed.size > 0) {
        latest.current(changed)
        counting ??= setTimeout(() => {
          counting = undefined
          setVersion((before) => before + 1)
        }, countMs)
      }
      if (!reload) return
      timer ??= setTimeout(() => {
        timer = undefined
        void client.invalidateQueries({ queryKey: queryKeys.map(slug) })
      }, reloadMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
      clearTimeout(counting)
    }
  }, [client, slug, filter, squares])
}
