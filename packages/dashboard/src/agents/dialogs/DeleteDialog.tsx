import { Stack, TextInput } from '@mantine/core'
import { trimInvisible } from '@svc/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { queryKeys } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { asTyped } from '../../ui/forms/as-typed.ts'
import { Confirm } from '../../ui/index.ts'
import type { AgentDialogProps } from './RotateDialog.tsx'

interface DeleteDialogProps extends AgentDialogProps {
  /** The version to install under the same name afterwards; undefined to open the list of agents. */
  reinstall?: { blueprint: string; version: string | null } | undefined
}

/**
 * A dialog that deletes an agent on the service after the person has typed its name. Then it opens the list of agents,
 * or the page to install the agent again.
 */
export function DeleteDialog({ slug, name, opened, onClose, reinstall }: DeleteDialogProps) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const close = () => {
    setTyped('')
    onClose()
  }
  const remove = async () => {
    await call('DELETE /w/:slug/agents/:name', { slug, name })
    if (reinstall === undefined) await navigate({ to: paths.fleet, params: { slug }, replace: true })
    else {
      const { blueprint, version } = reinstall
      const search = { blueprint, agent: name, ...(version !== null && { version }) }
      await navigate({ to: paths.install, params: { slug }, search, replace: true })
    }
    client.removeQueries({ queryKey: queryKeys.agent(slug, name) })
    void client.invalidateQueries({ queryKey: queryKeys.workspace(slug) })
  }
  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={reinstall ? `Delete and reinstall ${name}?` : `Delete ${name}?`}
      confirm="Delete agent"
      danger
      disabled={trimInvisible(typed) !== name}
      onConfirm={remove}
    >
      <Stack gap="sm">
        <Consequences reinstall={reinstall !== undefined} />
        <TextInput
          data-autofocus
          label={`Type ${name} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          {...asTyped}
        />
      </Stack>
    </Confirm>
  )
}

const Consequences = ({ reinstall }: { reinstall: boolean }) => (
  <div>
    This can’t be undone.
    <ul className="svc-consequences">
      <li>
        Its runs, history, commands and logs are deleted here. Its costs stay in the costs of the workspace, under
        “deleted agents”.
      </li>
      <li>Its tokens, here and in other products, stop working immediately. Pending commands are cancelled.</li>
      <li>
        On its machine nothing changes: the agent keeps running until someone stops it there.
        {reinstall && ' Remove it there before you install it again in the same folder.'}
      </li>
      {reinstall && <li>The next page issues the install code. The new agent gets new tokens.</li>}
    </ul>
  </div>
)
