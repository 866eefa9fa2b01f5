import type { SavedView } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useLayoutEffect, useRef, useState } from 'react'
import { read } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { Text } from '../../ui/index.ts'
import { useOpenedViewId } from './opened.ts'
import { isDefaultList, shownViewOf } from './shown-view.ts'
import { defaultOrder, searchFor } from './state.ts'
import { chooseColumns } from './useColumns.ts'
import { useFleetListChoice } from './useFleetListChoice.ts'

const none: readonly SavedView[] = []

/**
 * The views as links above the list; nothing while there is none. The view that the list shows is marked and is always
 * in the line. Views that do not fit into the line are in the menu next to it, which has all views.
 */
export function ViewTabs({ slug }: { slug: string }) {
  const { state } = useFleetListChoice()
  const opened = useOpenedViewId()
  const { data: views = none } = useQuery(read('GET /w/:slug/views', { slug }))
  const shown = shownViewOf(views, opened, state)
  const canSave = !isDefaultList(state) && (!shown || shown.differs)
  const line = useRef<HTMLElement>(null)
  const { first, out } = useFit(line, views, shown?.view.id, canSave)
  if (views.length === 0) return null
  return (
    <nav ref={line} className="fleet-tabs" aria-label="Views">
      <Link
        to={paths.fleet}
        params={{ slug }}
        search={{}}
        activeOptions={{ exact: true, includeSearch: true }}
        className="fleet-tab"
        data-on={!shown && isDefaultList(state)}
        aria-current={!shown && isDefaultList(state) ? 'true' : undefined}
      >
        All agents
      </Link>
      {views.map((view) => {
        const isShown = view.id === shown?.view.id
        return (
          <Link
            key={view.id}
            to={paths.fleet}
            params={{ slug }}
            search={searchFor({ q: view.q, sort: view.sort ?? defaultOrder })}
            state={{ view: view.id }}
            onClick={() => view.columns && chooseColumns(view.columns)}
            activeOptions={{ exact: true, includeSearch: true }}
            className="fleet-tab"
            title={view.q === '' ? undefined : view.q}
            data-view={view.id}
            data-on={isShown}
            data-first={view.id === first}
            data-out={out.has(view.id)}
            aria-current={isShown ? 'true' : undefined}
          >
            <Text cut>{view.name}</Text>
            {isShown && shown.differs && <span className="fleet-changed">changed</span>}
          </Link>
        )
      })}
    </nav>
  )
}

interface ShownTabs {
  /** The id of a view that is shown first, because the line would have no room for it in its usual order. */
  first: string | undefined
  /** The ids of the views for which the line has no room. */
  out: ReadonlySet<string>
}

const everything: ShownTabs = { first: undefined, out: new Set() }

/**
 * Measures for which views the line has room. The view `shown` always has a place. The button that saves a view
 * takes room, too.
 */
function useFit(
  line: { readonly current: HTMLElement | null },
  views: readonly SavedView[],
  shown: string | undefined,
  canSave: boolean,
) {
  const [fit, setFit] = useState(everything)
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the views or the buttons change
  useLayoutEffect(() => {
    const { current } = line
    if (!current) return setFit(everything)
    const measure = () => {
      const tabs = [...current.querySelectorAll<HTMLElement>('.fleet-tab')]
      const room = (current.parentElement?.clientWidth ?? 0) - besideWidthOf(current)
      const usual = without(tabs, room)
      const first = tabs.find(({ dataset }) => dataset.view !== undefined && dataset.view === shown && usual.has(shown))
      const out = first
        ? without([...tabs.slice(0, 1), first, ...tabs.slice(1).filter((tab) => tab !== first)], room)
        : usual
      const next = { first: first?.dataset.view, out }
      setFit((before) => (textOf(before) === textOf(next) ? before : next))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current.parentElement ?? current)
    return () => observer.disconnect()
  }, [line, views, shown, canSave])
  return fit
}

const textOf = ({ first, out }: ShownTabs): string => [first, ...out].join()

/** The width for the buttons beside the tabs in pixels, which the style sheet names. */
const besideWidthOf = (line: Element): number =>
  Number.parseInt(getComputedStyle(line).getPropertyValue('--fleet-beside'), 10)

/** The ids of the views whose tabs do not fit into a width. */
function without(tabs: readonly HTMLElement[], width: number): Set<string> {
  let left = width
  const ids = new Set<string>()
  for (const tab of tabs) {
    left -= tab.offsetWidth
    if (left < 0 && tab.dataset.view !== undefined) ids.add(tab.dataset.view)
  }
  return ids
}
