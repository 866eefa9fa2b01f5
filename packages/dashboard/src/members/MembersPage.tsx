import { Button } from '@mantine/core'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { membersQuery } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import { ErrorNote, Help, PageHeader, useDocumentTitle } from '../ui/index.ts'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { DeleteWorkspace } from './DeleteWorkspace.tsx'
import { Invitations } from './Invitations.tsx'
import { InviteDialog } from './InviteDialog.tsx'
import { MemberLine } from './MemberLine.tsx'
import { RequireFactor } from './RequireFactor.tsx'
import { WorkspaceName } from './WorkspaceName.tsx'
import './members.css'

/** The members of the workspace and their roles. */
export function MembersPage() {
  const slug = useSlug()
  const { name, role, factor } = useWorkspace()
  const admin = role === 'admin'
  const [inviting, setInviting] = useState(false)
  const { data, error, refetch } = useQuery(membersQuery(slug))
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
