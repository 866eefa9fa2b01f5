import { Button, Group, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { bare } from '@svc/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../data/api.ts'
import { keys } from '../data/queries.ts'
import { wrongWithText } from '../ui/forms/rules.ts'
import { useSubmit } from '../ui/forms/useSubmit.ts'
import { ErrorNote } from '../ui/index.ts'

/** A form that changes the name of the workspace. The address of the workspace stays the same. */
export function WorkspaceName({ slug, name }: { slug: string; name: string }) {
  const client = useQueryClient()
  const form = useForm({ initialValues: { name }, validate: { name: wrongWithText } })
  const { busy, error, submit } = useSubmit(async (values: typeof form.values) => {
    await api.renameWorkspace(slug, values.name)
    await Promise.all([
      client.invalidateQueries({ queryKey: keys.workspace(slug) }),
      client.invalidateQueries({ queryKey: keys.me }),
    ])
  })
  return (
    <section className="people-section">
      <h2>This workspace</h2>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Group align="flex-end" gap="xs" maw={460}>
          <TextInput
            flex={1}
            label="Name"
            description={`The address stays /w/${slug}.`}
            {...form.getInputProps('name')}
          />
          <Button type="submit" variant="default" loading={busy} disabled={bare(form.values.name) === name}>
            Rename
          </Button>
        </Group>
        {error !== null && <ErrorNote error={error} />}
      </form>
    </section>
  )
}
