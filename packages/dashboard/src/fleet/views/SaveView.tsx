import { Radio, Stack } from '@mantine/core'
import type { SavedView } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { keys } from '../../data/queries.ts'
import { useWorkspace } from '../../data/workspace.ts'
import { Text } from '../../ui/index.ts'
import { useNoteOpened } from './opened.ts'
import { mayChange, replacedBy, type ShownView, viewOfState } from './standing.ts'
import type { FleetState } from './state.ts'
import { putView, ViewForm } from './ViewForm.tsx'

interface SaveProps {
  slug: string
  views: readonly SavedView[]
  /** The view that the list shows or has changed. Its name is proposed. */
  standing: ShownView | undefined
  state: FleetState
  onClose: () => void
}

/** The dialog that saves the filter, the order and the columns of the list as a view. */
export default function SaveView({ slug, views, standing, state, onClose }: SaveProps) {
  const { role, name: workspace } = useWorkspace()
  const client = useQueryClient()
  const noteOpened = useNoteOpened()
  const from = standing && mayChange(standing.view, role) ? standing.view : undefined
  const [name, setName] = useState(from?.name ?? '')
  const [shared, setShared] = useState(from?.shared ?? false)
  const before = replacedBy(views, name, shared)
  const save = async () => {
    const view = await call('PUT /w/:slug/views', { slug }, viewOfState(state, name, shared))
    noteOpened(view.id)
    putView(client, slug, view)
    onClose()
    await client.invalidateQueries({ queryKey: keys.views(slug) })
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
