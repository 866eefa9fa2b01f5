import { Button } from '@mantine/core'
import type { SavedView } from '@svc/api'
import { parseFilter } from '@svc/api/filter'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { read } from '../../data/queries.ts'
import { useWorkspace } from '../../data/workspace.ts'
import { lazyPart } from '../../ui/files.tsx'
import { usePageActions } from '../../ui/keys/actions.ts'
import { useNoteOpenedView, useOpenedViewId } from './opened.ts'
import { isDefaultList, mayChangeView, shownViewOf } from './shown-view.ts'
import { useFleetListChoice } from './useFleetListChoice.ts'
import { ViewsButton } from './ViewsButton.tsx'
import './views.css'

const loadMenu = () => import('./ViewsMenu.tsx')
const ViewsMenu = lazyPart(loadMenu)
const loadDialogs = () => import('./ViewDialogs.tsx')
const SaveViewDialog = lazyPart(async () => ({ default: (await loadDialogs()).SaveViewDialog }))
const RenameViewDialog = lazyPart(async () => ({ default: (await loadDialogs()).RenameViewDialog }))

const none: readonly SavedView[] = []

/** The dialog that is open: it saves a view, or gives one another name. */
type OpenDialog = { is: 'save' } | { is: 'rename'; view: SavedView }

/**
 * The button that names the view which the list shows, its menu of all views, and the button to save a view. The menu
 * is loaded when the pointer or the focus reaches the button.
 */
export function Views({ slug }: { slug: string }) {
  const { role } = useWorkspace()
  const { state } = useFleetListChoice()
  const { data: views = none, isPending } = useQuery(read('GET /w/:slug/views', { slug }))
  const [menu, setMenu] = useState<boolean>()
  const [asked, setAsked] = useState<OpenDialog>()
  const client = useQueryClient()
  const noteOpened = useNoteOpenedView()
  const shownView = shownViewOf(views, useOpenedViewId(), state)
  const changeable = shownView && mayChangeView(shownView.view, role) ? shownView.view : undefined
  // The button *Save view* is not shown while the views load, because it would move, and a click could miss it.
  const isNew = !isPending && !isDefaultList(state) && (!shownView || shownView.differs)
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
      shown={shownView}
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
          <ViewsMenu slug={slug} views={views} shown={shownView} save={save} rename={rename} remove={removeIt} />
        </Suspense>
      )}
      {isNew && save && (
        <Button className="fleet-save" variant="subtle" onClick={save}>
          Save view
        </Button>
      )}
      <Suspense>
        {asked?.is === 'save' && (
          <SaveViewDialog slug={slug} views={views} shown={shownView} state={state} onClose={close} />
        )}
        {asked?.is === 'rename' && <RenameViewDialog slug={slug} views={views} view={asked.view} onClose={close} />}
      </Suspense>
    </>
  )
}
