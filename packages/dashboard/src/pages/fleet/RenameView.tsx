import { Stack, TextInput } from '@mantine/core'
import type { SavedView } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { useSubmit } from '../../forms/useSubmit.ts'
import { keys } from '../../queries.ts'
import { Dialog, DialogEnd } from '../../ui/index.ts'
import { noteOpened, openedIn } from '../../views/opened.ts'
import { replacedBy, sameAgain } from '../../views/standing.ts'

interface RenameProps {
  slug: string
  views: readonly SavedView[]
  view: SavedView
  onClose: () => void
}

/** The dialog that gives a view another name. It is saved under the new name before the old one is removed. */
export default function RenameView({ slug, views, view, onClose }: RenameProps) {
  const client = useQueryClient()
  const [name, setName] = useState(view.name)
  const other = replacedBy(views, name, view.shared)
  const isTaken = other !== undefined && other.id !== view.id
  const { busy, error, submit } = useSubmit(async () => {
    if (other) return onClose()
    const renamed = await api.saveView(slug, { ...sameAgain(view), name: name.trim() })
    await api.removeView(slug, view.id)
    if (openedIn(slug) === view.id) noteOpened(slug, renamed.id)
    client.setQueryData<SavedView[]>(keys.views(slug), (all = []) => [
      ...all.filter(({ id }) => id !== view.id),
      renamed,
    ])
    onClose()
    await client.invalidateQueries({ queryKey: keys.views(slug) })
  })
  return (
    <Dialog opened onClose={onClose} title="Rename view">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit(undefined)
        }}
      >
        <Stack gap="md">
          <TextInput
            data-autofocus
            required
            label="Name"
            value={name}
            error={
              isTaken ? 'There is a view of that name already. Choose another name, or remove that view.' : undefined
            }
            onChange={(event) => setName(event.currentTarget.value)}
            onFocus={(event) => event.currentTarget.select()}
          />
          <DialogEnd error={error} onCancel={onClose} submit="Rename view" busy={busy} disabled={isTaken} />
        </Stack>
      </form>
    </Dialog>
  )
}
