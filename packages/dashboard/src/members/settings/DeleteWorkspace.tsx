import { Button, Stack, TextInput } from '@mantine/core'
import { trimInvisible } from '@svc/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { forgetWorkspace, read } from '../../data/queries.ts'
import { useWorkspace } from '../../data/workspace.ts'
import { paths } from '../../paths.ts'
import { asTyped } from '../../ui/forms/as-typed.ts'
import { Confirm, count, Section } from '../../ui/index.ts'
import { notify } from '../../ui/notify.tsx'

/** Deletes the workspace, after the admin has typed its short name. */
export function DeleteWorkspace({ slug }: { slug: string }) {
  const { name, agents } = useWorkspace()
  const { data: people } = useQuery(read('GET /w/:slug/members', { slug }))
  const client = useQueryClient()
  const navigate = useNavigate()
  const [opened, setOpened] = useState(false)
  const [typed, setTyped] = useState('')
  const close = () => {
    setTyped('')
    setOpened(false)
  }
  const remove = async () => {
    await call('DELETE /w/:slug', { slug })
    await forgetWorkspace(client, slug)
    await navigate({ to: paths.home, replace: true })
    notify({ message: `Workspace ${slug} deleted.` })
  }
  return (
    <div className="settings-danger">
      <Section title="Delete this workspace" aside="For all its members.">
        <p>Its agents, runs and logs go with it.</p>
        <Button color="red" variant="light" onClick={() => setOpened(true)}>
          Delete workspace…
        </Button>
      </Section>
      <Confirm
        opened={opened}
        onClose={close}
        title={`Delete ${name}?`}
        confirm="Delete workspace"
        danger
        disabled={trimInvisible(typed) !== slug}
        onConfirm={remove}
      >
        <Stack gap="sm">
          <div>
            This can’t be undone.
            <ul className="svc-consequences">
              <li>
                {count(agents, 'agent')} with all runs, costs, history, commands and logs, blueprints, alerts and the
                activity are deleted here.
              </li>
              <li>
                {people ? count(people.members.length, 'person', 'people') : 'Its people'} will no longer see the
                workspace. Accounts stay.
              </li>
              <li>The tokens of the agents and of their bots stop working immediately.</li>
              <li>On their machines nothing changes: agents keep running until someone stops them there.</li>
            </ul>
          </div>
          <TextInput
            data-autofocus
            label={`Type ${slug} to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            {...asTyped}
          />
        </Stack>
      </Confirm>
    </div>
  )
}
