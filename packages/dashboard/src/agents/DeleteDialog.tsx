import { Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api.ts'
import { asTyped } from '../forms/as-typed.ts'
import { paths } from '../paths.ts'
import { keys } from '../queries.ts'
import { Confirm } from '../ui/index.ts'
import type { AgentDialogProps } from './RotateDialog.tsx'

/** A dialog that deletes an agent on the service after the person has typed its name, and then opens the fleet list. */
export function DeleteDialog({ slug, name, opened, onClose }: AgentDialogProps) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const close = () => {
    setTyped('')
    onClose()
  }
  const remove = async () => {
    await api.deleteAgent(slug, name)
    await navigate({ to: paths.fleet, params: { slug }, replace: true })
    client.removeQueries({ queryKey: keys.agent(slug, name) })
    void client.invalidateQueries({ queryKey: keys.workspace(slug) })
  }
  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={`Delete ${name}?`}
      confirm="Delete agent"
      danger
      disabled={typed !== name}
      onConfirm={remove}
    >
      <Stack gap="sm">
        <div>
          This can’t be undone.
          <ul className="svc-consequences">
            <li>Its runs, costs, history, commands and logs are deleted here.</li>
            <li>Its tokens, here and in other products, stop working immediately. Pending commands are cancelled.</li>
            <li>On its machine nothing changes: the agent keeps running until someone stops it there.</li>
          </ul>
        </div>
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
