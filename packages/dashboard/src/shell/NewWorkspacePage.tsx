import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { meQuery } from '../data/queries.ts'
import { paths } from '../paths.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { slugOf, wrongWithSlug, wrongWithText } from '../ui/forms/rules.ts'
import { SlugInput } from '../ui/forms/SlugInput.tsx'
import { ErrorNote } from '../ui/index.ts'
import { ButtonLink } from '../ui/links.tsx'
import { DoorShell } from './DoorShell.tsx'

/** The page that creates another workspace. The person who creates it becomes its admin. */
export function NewWorkspacePage() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [ownSlug, setOwnSlug] = useState(false)
  const form = useForm({
    initialValues: { name: '', slug: '' },
    validate: { name: wrongWithText, slug: wrongWithSlug },
    onValuesChange: (values, previous) => {
      if (!ownSlug && values.name !== previous.name) form.setFieldValue('slug', slugOf(values.name))
    },
  })
  const { busy, error, submit } = useChange(async ({ name, slug }: typeof form.values) => {
    const made = await call('POST /workspaces', { name, slug })
    await client.fetchQuery({ ...meQuery, staleTime: 0 })
    await navigate({ to: paths.fleet, params: { slug: made.slug }, replace: true })
  })
  return (
    <DoorShell
      title="New workspace"
      note="Each workspace has its own agents and people. You will be the admin of this one."
    >
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="sm">
          <TextInput label="Name" autoComplete="organization" autoFocus {...form.getInputProps('name')} />
          <SlugInput {...form.getInputProps('slug')} refused={error !== null} onOwn={setOwnSlug} />
          {error !== null && <ErrorNote error={error} />}
          <Button type="submit" loading={busy} fullWidth mt={4}>
            Create workspace
          </Button>
          <ButtonLink to={paths.home} variant="subtle" color="gray">
            Cancel
          </ButtonLink>
        </Stack>
      </form>
    </DoorShell>
  )
}
