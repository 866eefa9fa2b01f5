import { Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../data/api.ts'
import { queryKeys } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { asTyped } from '../../ui/forms/as-typed.ts'
import { Dialog, DialogFooter } from '../../ui/index.ts'
import { wrongWithName } from './names.ts'
import type { AgentDialogProps } from './RotateDialog.tsx'

/** A dialog that renames an agent, and then opens the agent's page at its new address. */
export function RenameDialog({ slug, name, opened, onClose }: AgentDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`Rename ${name}`}>
      <RenameForm slug={slug} name={name} onClose={onClose} />
    </Dialog>
  )
}

function RenameForm({ slug, name, onClose }: Omit<AgentDialogProps, 'opened'>) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({ initialValues: { to: name }, validate: { to: wrongWithName } })
  const { busy, error, submit } = useChange(async ({ to }: { to: string }) => {
    if (to === name) return onClose()
    await call('PATCH /w/:slug/agents/:name', { slug, name }, { name: to })
    onClose()
    await navigate({ to: paths.agent, params: { slug, name: to }, replace: true })
    client.removeQueries({ queryKey: queryKeys.agent(slug, name) })
    void client.invalidateQueries({ queryKey: queryKeys.workspace(slug) })
  })
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <TextInput data-autofocus label="Name" {...asTyped} {...form.getInputProps('to')} />
        <Text c="dimmed" fz="sm">
          Token, history and commands stay. Links to the old name lead here for 90 days, unless another agent gets it.
          Nothing changes on the agent’s machine.
        </Text>
        <DialogFooter error={error} onCancel={onClose} submit="Rename" busy={busy} />
      </Stack>
    </form>
  )
}
