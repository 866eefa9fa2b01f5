import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { NewToken } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { keys } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { asTyped } from '../../ui/forms/as-typed.ts'
import { Dialog, DialogEnd, Help } from '../../ui/index.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { FirstReport } from './FirstReport.tsx'
import { wrongWithName } from './names.ts'
import { TagsField } from './TagsField.tsx'
import { TokenSteps } from './TokenSteps.tsx'
import { tagsTyped, wrongWithTags } from './tags.ts'

interface DialogOf {
  slug: string
  opened: boolean
  onClose: () => void
}

/**
 * A dialog that adds an agent: it asks for the agent's name, shows its token once with the lines to paste, and waits
 * for the first report.
 */
export function AddAgentDialog({ slug, opened, onClose }: DialogOf) {
  const [token, setToken] = useState<NewToken | null>(null)
  const close = () => {
    onClose()
    setToken(null)
  }
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={token ? `Connect ${token.name}` : 'Add agent'}
      size={token ? 'lg' : 'md'}
      stay={token !== null}
    >
      {token ? (
        <Stack gap="md">
          <TokenSteps token={token} />
          <FirstReport slug={slug} name={token.name} />
          <Group justify="flex-end" gap="xs">
            <ButtonLink to={paths.agent} params={{ slug, name: token.name }} variant="default" onClick={close}>
              Open agent
            </ButtonLink>
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <Stack gap="lg">
          <FromBlueprint slug={slug} onGo={close} />
          <section className="svc-way" aria-labelledby="by-hand">
            <h3 id="by-hand">Connect an existing agent</h3>
            <NameForm slug={slug} onAdded={setToken} onCancel={close} />
          </section>
        </Stack>
      )}
    </Dialog>
  )
}

/**
 * The part of the dialog that suggests installing an agent from a blueprint. The machine then only needs a code, and
 * the agent comes with its settings, logs and versions.
 */
const FromBlueprint = ({ slug, onGo }: { slug: string; onGo: () => void }) => (
  <section className="svc-way" aria-labelledby="from-blueprint">
    <h3 id="from-blueprint">Install from a blueprint</h3>
    <Group gap="sm" justify="space-between">
      <Text c="dimmed" fz="sm" flex="1 1 240px">
        A one-time code installs the agent on any machine, with its settings, logs and access to other products.
      </Text>
      <ButtonLink to={paths.install} params={{ slug }} variant="default" onClick={onGo}>
        Choose a blueprint
      </ButtonLink>
    </Group>
  </section>
)

function NameForm({
  slug,
  onAdded,
  onCancel,
}: {
  slug: string
  onAdded: (token: NewToken) => void
  onCancel: () => void
}) {
  const client = useQueryClient()
  const form = useForm({
    initialValues: { name: '', tags: '' },
    validate: { name: wrongWithName, tags: wrongWithTags },
  })
  const { busy, error, submit } = useChange(async ({ name, tags }: { name: string; tags: string }) => {
    onAdded(await call('POST /w/:slug/agents', { slug }, { name, tags: tagsTyped(tags) }))
    void client.invalidateQueries({ queryKey: keys.workspace(slug) })
  })
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <TextInput
          data-autofocus
          label="Name"
          description="Lowercase letters, digits and hyphens. It can be renamed later."
          placeholder="mail-triage"
          {...asTyped}
          {...form.getInputProps('name')}
        />
        <TagsField {...form.getInputProps('tags')} />
        <Text c="dimmed" fz="sm">
          For an agent that already runs, written in any language, or for the cron jobs of a machine. It stays on its
          machine, reports here and answers your commands. <Help about="start#connect-a-program-that-already-runs" />
        </Text>
        <DialogEnd error={error} onCancel={onCancel} submit="Add agent" busy={busy} />
      </Stack>
    </form>
  )
}
