import { Stack, TextInput } from '@mantine/core'
import type { SavedView } from '@svc/api'
import type { QueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { read } from '../../data/queries.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { Dialog, DialogFooter } from '../../ui/index.ts'

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
export function ViewForm({ title, name, onName, wrong, submit: words, onSubmit, onClose, children }: ViewFormProps) {
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

/** Puts a view that was saved into the page's list, in place of what had its id. */
export const putView = (client: QueryClient, slug: string, view: SavedView): void =>
  void client.setQueryData<SavedView[]>(read('GET /w/:slug/views', { slug }).queryKey, (all = []) => [
    ...all.filter(({ id }) => id !== view.id),
    view,
  ])
