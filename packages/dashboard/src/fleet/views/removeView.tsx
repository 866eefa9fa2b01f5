import { Button, Group } from '@mantine/core'
import type { SavedView } from '@svc/api'
import type { QueryClient } from '@tanstack/react-query'
import { call } from '../../data/api.ts'
import { keys } from '../../data/queries.ts'
import { Text } from '../../ui/index.ts'
import { notify, unnotify } from '../../ui/notify.tsx'
import { sameAgain } from './standing.ts'

/** The milliseconds for which the note with the button *Undo* is shown. */
const shownMs = 20_000

interface Removal {
  client: QueryClient
  slug: string
  view: SavedView
  /** Called when the view is back, with its new id. */
  onBack: (id: string) => void
}

/** Removes a view, and offers to undo that. The list stays as it is. */
export async function removeView({ client, slug, view, onBack }: Removal): Promise<void> {
  const reload = () => client.invalidateQueries({ queryKey: keys.views(slug) })
  const id = `removed ${view.id}`
  const undo = async () => {
    unnotify(id)
    const { id: next } = await call('PUT /w/:slug/views', { slug }, sameAgain(view))
    onBack(next)
    await reload()
  }
  try {
    await call('DELETE /w/:slug/views/:id', { slug, id: view.id })
  } catch (error) {
    return refused('Not removed')(error)
  } finally {
    await reload()
  }
  const message = (
    <Group justify="space-between" gap="sm">
      <span>
        Removed the view <Text>{view.name}</Text>.
      </span>
      <Button variant="default" size="compact-sm" onClick={() => void undo().catch(refused('Not saved'))}>
        Undo
      </Button>
    </Group>
  )
  notify({ id, message, autoClose: shownMs })
}

const refused = (title: string) => (error: unknown) =>
  notify({ color: 'red', title, message: error instanceof Error ? error.message : '' })
