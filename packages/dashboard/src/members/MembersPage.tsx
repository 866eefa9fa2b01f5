import './members.css'
import { Button, Group, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { bare } from '@svc/protocol'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { keys, read } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import { wrongWithText } from '../ui/forms/rules.ts'
import { useSubmit } from '../ui/forms/useSubmit.ts'
import { ErrorNote, Help, PageHeader, useDocumentTitle } from '../ui/index.ts'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { DeleteWorkspace } from './DeleteWorkspace.tsx'
import { Invitations } from './Invitations.tsx'
import { InviteDialog } from './InviteDialog.tsx'
import { MemberLine } from './MemberLine.tsx'
import { RequireFactor } from './RequireFactor.tsx'

/** The members of the workspace and their roles. */
export function MembersPage() {
  const slug = useSlug()
  const { name, role, factor } = useWorkspace()
  const admin = role === 'admin'
  const [inviting, setInviting] = useState(false)
  const { data, error, refetch } = useQuery(read('GET /w/:slug/members', { slug }))
  useDocumentTitle('Members', name)
  return (
    <>
      <PageHeader
        title="Members"
        note={
          <>
            Members can view everything except logs. Admins can also send commands and manage agents, logs and people.{' '}
            <Help about="page#people" />
          </>
        }
        actions={
          admin && (
            <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
              Invite
            </Button>
          )
        }
      />
      {error && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <WaitingPage />}
      {data && (
        <>
          <ul className="people" aria-label="Members">
            {data.members.map((member) => (
              <MemberLine key={member.id} slug={slug} member={member} admin={admin} />
            ))}
          </ul>
          {admin && <Invitations slug={slug} invitations={data.invitations} />}
          {admin && <WorkspaceName slug={slug} name={name} />}
          {admin && <RequireFactor slug={slug} from={factor.from} members={data.members} />}
          {admin && <DeleteWorkspace slug={slug} people={data.members.length} />}
        </>
      )}
      <InviteDialog slug={slug} opened={inviting} onClose={() => setInviting(false)} />
    </>
  )
}

/** A form that changes the name of the workspace. The address of the workspace stays the same. */
function WorkspaceName({ slug, name }: { slug: string; name: string }) {
  const client = useQueryClient()
  const form = useForm({ initialValues: { name }, validate: { name: wrongWithText } })
  const { busy, error, submit } = useSubmit(async (values: typeof form.values) => {
    await call('PATCH /w/:slug', { slug }, { name: values.name })
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
