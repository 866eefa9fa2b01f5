import './settings.css'
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { trimInvisible } from '@svc/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAlertChange } from '../../alerts/parts/useAlertChange.ts'
import { call } from '../../data/api.ts'
import { forgetWorkspace, queryKeys, read } from '../../data/queries.ts'
import { useSlug, useWorkspace } from '../../data/workspace.ts'
import { paths } from '../../paths.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { asTyped } from '../../ui/forms/as-typed.ts'
import { wrongWithText } from '../../ui/forms/rules.ts'
import {
  Confirm,
  count,
  ErrorNote,
  Help,
  PageHeader,
  Section,
  serviceNow,
  Text,
  useDocumentTitle,
} from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { notify } from '../../ui/notify.tsx'
import { QueryState } from '../../ui/pages/QueryState.tsx'
import { RequireFactor, requirementInWords } from './RequireFactor.tsx'

/** The settings of the workspace. Members read them, and admins change them. */
export function SettingsPage() {
  const slug = useSlug()
  const { name, role } = useWorkspace()
  useDocumentTitle('Settings', name)
  return (
    <>
      <PageHeader
        title="Settings"
        note={
          <>
            {role === 'admin'
              ? 'These apply to the whole workspace.'
              : 'Only admins of this workspace can change them.'}{' '}
            <Help about="page#settings-of-the-workspace" />
          </>
        }
      />
      <div className="settings-parts svc-narrow">
        {role === 'admin' ? <Forms slug={slug} /> : <Facts slug={slug} />}
        <Bots slug={slug} />
        {role === 'admin' && <DeleteWorkspace slug={slug} />}
      </div>
    </>
  )
}

/** Lets an admin change the settings. */
function Forms({ slug }: { slug: string }) {
  const { name, factor } = useWorkspace()
  const members = useQuery(read('GET /w/:slug/members', { slug }))
  return (
    <>
      <WorkspaceName key={name} slug={slug} name={name} />
      <QueryState of={members} />
      {members.data && <RequireFactor slug={slug} from={factor.from} members={members.data.members} />}
      <MessageDetail slug={slug} />
    </>
  )
}

/** Shows the settings to a member, who cannot change them. */
function Facts({ slug }: { slug: string }) {
  const { name, factor } = useWorkspace()
  const query = useQuery(read('GET /w/:slug/alert-settings', { slug }))
  return (
    <>
      <Section title="This workspace" aside={`Its address is /w/${slug}.`}>
        <Text>{name}</Text>
      </Section>
      <Section title="Second factor">{requirementInWords(factor.from, serviceNow())}</Section>
      <QueryState of={query} />
      {query.data && (
        <Section title="Messages">
          {query.data.detail
            ? 'Messages about the levels Bad and Warning contain the detail that the agent reports.'
            : 'Messages contain the level and the label of an agent, and no detail.'}
        </Section>
      )}
    </>
  )
}

/** Says what bots are, with a link to their page. While the workspace has no bots, the side bar has no such link. */
function Bots({ slug }: { slug: string }) {
  const { bots } = useWorkspace()
  return (
    <Section title="Bots" aside={bots === 0 ? 'none yet' : bots !== undefined && count(bots, 'bot')}>
      Bots are accounts that agents use in other products. A bot is created when you install a blueprint that needs one.{' '}
      <AnchorLink to={paths.bots} params={{ slug }} inherit underline="always">
        Bots and products
      </AnchorLink>
    </Section>
  )
}

/** A form that changes the name of the workspace. The address of the workspace stays the same. */
function WorkspaceName({ slug, name }: { slug: string; name: string }) {
  const client = useQueryClient()
  const form = useForm({ initialValues: { name }, validate: { name: wrongWithText } })
  const { busy, error, submit } = useChange(async (values: typeof form.values) => {
    await call('PATCH /w/:slug', { slug }, { name: values.name })
    await Promise.all([
      client.invalidateQueries({ queryKey: queryKeys.workspace(slug) }),
      client.invalidateQueries({ queryKey: queryKeys.me }),
    ])
  })
  return (
    <Section title="This workspace" aside={`Its address stays /w/${slug}.`}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Group align="flex-end" gap="xs" maw={460}>
          <TextInput flex={1} label="Name" {...form.getInputProps('name')} />
          <Button type="submit" variant="default" loading={busy} disabled={trimInvisible(form.values.name) === name}>
            Rename
          </Button>
        </Group>
        {error !== null && <ErrorNote error={error} />}
      </form>
    </Section>
  )
}

/** Lets an admin choose whether messages to channels may contain the detail text of an agent. */
function MessageDetail({ slug }: { slug: string }) {
  const query = useQuery(read('GET /w/:slug/alert-settings', { slug }))
  const { data } = query
  const set = useAlertChange(slug, 'Not changed', (detail: boolean) =>
    call('PATCH /w/:slug/alert-settings', { slug }, { detail }),
  )
  if (!data) return <QueryState of={query} waiting={null} />
  return (
    <Section title="Messages" aside="They leave this service.">
      <Checkbox
        label="Include the agent’s detail text"
        description="Messages about the levels Bad and Warning then also contain the detail that the agent reports. It may hold private text, such as subjects of mails. Without it they contain the level and the label."
        checked={set.values ?? data.detail}
        onChange={(event) => set.submit(event.currentTarget.checked)}
      />
    </Section>
  )
}

/** Deletes the workspace, after the admin has typed its short name. */
function DeleteWorkspace({ slug }: { slug: string }) {
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
