import { Button, Group, Radio, Stack, TextInput } from '@mantine/core'
import type { SavedView } from '@svc/api'
import { trimInvisible } from '@svc/protocol'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../data/api.ts'
import { queryKeys, read } from '../../data/queries.ts'
import { useWorkspace } from '../../data/workspace.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { Dialog, DialogFooter, Text } from '../../ui/index.ts'
import { closeNotice, notify, notifyFailed } from '../../ui/notify.tsx'
import { useNoteOpenedView } from './opened.ts'
import { asNewView, mayChangeView, replacedView, type ShownView, viewOfState } from './shown-view.ts'
import type { FleetListChoice } from './state.ts'

interface SaveProps {
  slug: string
  views: readonly SavedView[]
  /** The view that the list shows. The dialog proposes its name if this person may change it. */
  shown: ShownView | undefined
  state: FleetListChoice
  onClose: () => void
}

/** The dialog that saves the filter, the order and the columns of the list as a view. */
export function SaveViewDialog({ slug, views, shown, state, onClose }: SaveProps) {
  const { role, name: workspace } = useWorkspace()
  const client = useQueryClient()
  const noteOpened = useNoteOpenedView()
  const from = shown && mayChangeView(shown.view, role) ? shown.view : undefined
  const [name, setName] = useState(from?.name ?? '')
  const [shared, setShared] = useState(from?.shared ?? false)
  const before = replacedView(views, name, shared)
  const save = async () => {
    const view = await call('PUT /w/:slug/views', { slug }, viewOfState(state, name, shared))
    noteOpened(view.id)
    putView(client, slug, view)
    onClose()
    await client.invalidateQueries({ queryKey: queryKeys.views(slug) })
  }
  return (
    <ViewForm
      title="Save view"
      name={name}
      onName={setName}
      submit={before ? 'Replace view' : 'Save view'}
      onSubmit={save}
      onClose={onClose}
    >
      {role === 'admin' && (
        <Radio.Group label="Who sees it" value={shared ? 'all' : 'me'} onChange={(value) => setShared(value === 'all')}>
          <Stack gap={6} mt={6}>
            <Radio value="me" label="Only you" />
            <Radio value="all" label={<Text>{`Everybody in ${workspace}`}</Text>} />
          </Stack>
        </Radio.Group>
      )}
      <p className="svc-quiet fleet-saved">
        {state.q === '' ? 'It keeps all agents' : <>It keeps the filter {<Text mono>{state.q}</Text>}</>}, with the
        order and the columns of the list.
      </p>
      {before && (
        <p className="fleet-saved">
          It replaces the view <Text>{before.name}</Text>, which shows{' '}
          {before.q === '' ? 'all agents' : <Text mono>{before.q}</Text>}.
        </p>
      )}
    </ViewForm>
  )
}

interface RenameProps {
  slug: string
  views: readonly SavedView[]
  view: SavedView
  onClose: () => void
}

const nameTakenText = 'There is a view of that name already. Choose another name, or remove that view.'

/** The dialog that gives a view another name. */
export function RenameViewDialog({ slug, views, view, onClose }: RenameProps) {
  const client = useQueryClient()
  const [name, setName] = useState(view.name)
  const other = replacedView(views, name, view.shared)
  const rename = async () => {
    if (other) return onClose()
    putView(
      client,
      slug,
      await call('PUT /w/:slug/views', { slug }, { ...asNewView(view), name: trimInvisible(name), replaces: view.id }),
    )
    onClose()
    await client.invalidateQueries({ queryKey: queryKeys.views(slug) })
  }
  return (
    <ViewForm
      title="Rename view"
      name={name}
      onName={setName}
      wrong={other !== undefined && other.id !== view.id ? nameTakenText : undefined}
      submit="Rename view"
      onSubmit={rename}
      onClose={onClose}
    />
  )
}

/** The milliseconds for which the note with the button *Undo* is shown. */
const shownMs = 20_000

interface RemovalState {
  client: QueryClient
  slug: string
  view: SavedView
  /** Called when the view is back, with its new id. */
  onBack: (id: string) => void
}

/** Removes a view, and offers to undo that. The list stays as it is. */
export async function removeView({ client, slug, view, onBack }: RemovalState): Promise<void> {
  const reload = () => client.invalidateQueries({ queryKey: queryKeys.views(slug) })
  const id = `removed ${view.id}`
  const undo = async () => {
    closeNotice(id)
    const { id: next } = await call('PUT /w/:slug/views', { slug }, asNewView(view))
    onBack(next)
    await reload()
  }
  try {
    await call('DELETE /w/:slug/views/:id', { slug, id: view.id })
  } catch (error) {
    return notifyFailed('Not removed', error)
  } finally {
    await reload()
  }
  const message = (
    <Group justify="space-between" gap="sm">
      <span>
        Removed the view <Text>{view.name}</Text>.
      </span>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => void undo().catch((error: unknown) => notifyFailed('Not saved', error))}
      >
        Undo
      </Button>
    </Group>
  )
  notify({ id, message, autoClose: shownMs })
}

interface ViewFormProps {
  title: string
  name: string
  onName: (name: string) => void
  /** The sentence that says why no view can have this name. */
  wrong?: string | undefined
  /** The text on the button, which begins with a verb. */
  submit: string
  onSubmit: () => Promise<unknown>
  onClose: () => void
  /** Further fields and sentences of the dialog. */
  children?: ReactNode
}

/** A dialog that asks for the name of a view. */
function ViewForm({ title, name, onName, wrong, submit: words, onSubmit, onClose, children }: ViewFormProps) {
  const { busy, error, submit } = useChange(onSubmit)
  return (
    <Dialog opened onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="md">
          <TextInput
            data-autofocus
            required
            label="Name"
            placeholder="Bad in eu"
            value={name}
            error={wrong}
            onChange={(event) => onName(event.currentTarget.value)}
            onFocus={(event) => event.currentTarget.select()}
          />
          {children}
          <DialogFooter error={error} onCancel={onClose} submit={words} busy={busy} disabled={wrong !== undefined} />
        </Stack>
      </form>
    </Dialog>
  )
}

/** Puts a saved view into the page's list of views, in place of an earlier one with its id. */
const putView = (client: QueryClient, slug: string, view: SavedView): void =>
  void client.setQueryData<SavedView[]>(read('GET /w/:slug/views', { slug }).queryKey, (all = []) => [
    ...all.filter(({ id }) => id !== view.id),
    view,
  ])
