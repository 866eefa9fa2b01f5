/** The views of the list of agents, as links and in a menu, and the dialogs that save and rename them. */
import { Button } from '@mantine/core'
import type { SavedView } from '@svc/api'
import { parseFilter } from '@svc/api/filter'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, useLayoutEffect, useRef, useState } from 'react'
import { read } from '../../data/queries.ts'
import { useWorkspace } from '../../data/workspace.ts'
import { paths } from '../../paths.ts'
import { lazyPart } from '../../ui/files.tsx'
import { Text } from '../../ui/index.ts'
import { usePageActions } from '../../ui/keys/actions.ts'
import { useNoteOpenedView, useOpenedViewId } from './opened.ts'
import { isDefaultList, mayChangeView, shownViewOf } from './shown-view.ts'
import { defaultOrder, searchFor } from './state.ts'
import { chooseColumns } from './useColumns.ts'
import { useFleetListChoice } from './useFleetListChoice.ts'
import { ViewsButton } from './ViewsButton.tsx'
import './views.css'

const loadMenu = () => import('./ViewsMenu.tsx')
const ViewsMenu = lazyPart(loadMenu)
const loadDialogs = () => import('./ViewDialogs.tsx')
const SaveViewDialog = lazyPart(async () => ({ default: (await loadDialogs()).SaveViewDialog }))
const RenameViewDialog = lazyPart(async () => ({ default: (await loadDialogs()).RenameViewDialog }))

/**
 * The views as links above the list; nothing while there is none. The view that the list shows is marked and is always
 * in the line. Views that do not fit into the line are in the menu next to it, which has all views.
 */
export function ViewTabs({ slug }: { slug: string }) {
  const { state, views, shown, isUnsaved } = useShownView(slug)
  const line = useRef<HTMLElement>(null)
  const { first, out } = useFit(line, views, shown?.view.id, isUnsaved)
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

/** The dialog that is open: it saves a view, or gives one another name. */
type OpenDialog = { is: 'save' } | { is: 'rename'; view: SavedView }

/**
 * The button that names the view which the list shows, its menu of all views, and the button to save a view. The menu
 * is loaded when the pointer or the focus reaches the button.
 */
export function Views({ slug }: { slug: string }) {
  const { role } = useWorkspace()
  const { state, views, isPending, shown, isUnsaved } = useShownView(slug)
  const [menu, setMenu] = useState<boolean>()
  const [asked, setAsked] = useState<OpenDialog>()
  const client = useQueryClient()
  const noteOpened = useNoteOpenedView()
  const changeable = shown && mayChangeView(shown.view, role) ? shown.view : undefined
  // The button *Save view* is not shown while the views load, because it would move, and a click could miss it.
  const isNew = !isPending && isUnsaved
  const save = parseFilter(state.q).ok ? () => setAsked({ is: 'save' }) : undefined
  const rename = changeable && (() => setAsked({ is: 'rename', view: changeable }))
  const removeIt =
    changeable &&
    (() => {
      const removal = { client, slug, view: changeable, onBack: (id: string) => noteOpened(id, changeable.id) }
      void loadDialogs().then(({ removeView }) => removeView(removal))
    })
  usePageActions([
    ...(save && !isDefaultList(state) ? [{ words: 'Save view', run: save }] : []),
    ...(rename ? [{ words: `Rename the view ${changeable.name}`, run: rename }] : []),
    ...(removeIt ? [{ words: `Remove the view ${changeable.name}`, run: removeIt }] : []),
  ])
  const close = () => setAsked(undefined)
  const button = (
    <ViewsButton
      shown={shown}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
      onClick={() => setMenu(true)}
    />
  )
  return (
    <>
      {menu === undefined ? (
        button
      ) : (
        <Suspense fallback={button}>
          <ViewsMenu slug={slug} views={views} shown={shown} save={save} rename={rename} remove={removeIt} />
        </Suspense>
      )}
      {isNew && save && (
        <Button className="fleet-save" variant="subtle" onClick={save}>
          Save view
        </Button>
      )}
      <Suspense>
        {asked?.is === 'save' && (
          <SaveViewDialog slug={slug} views={views} shown={shown} state={state} onClose={close} />
        )}
        {asked?.is === 'rename' && <RenameViewDialog slug={slug} views={views} view={asked.view} onClose={close} />}
      </Suspense>
    </>
  )
}

const none: readonly SavedView[] = []

/**
 * Returns the saved views, and `shown`, the one that the list shows. `isUnsaved` is true for a list that is neither the
 * default list nor a saved view.
 */
function useShownView(slug: string) {
  const { state } = useFleetListChoice()
  const { data: views = none, isPending } = useQuery(read('GET /w/:slug/views', { slug }))
  const shown = shownViewOf(views, useOpenedViewId(), state)
  const isUnsaved = !isDefaultList(state) && (!shown || shown.differs)
  return { state, views, isPending, shown, isUnsaved }
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
