import { Badge, Button, Menu, Select } from '@mantine/core'
import type { Members, Role } from '@svc/api'
import { IconDots, IconUserPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { paths } from '../../paths.ts'
import { keys, membersQuery } from '../../queries.ts'
import { Confirm, ErrorNote, PageHeader, Text, useDocumentTitle } from '../../ui/index.ts'
import { useSlug, useWorkspace } from '../../workspace.ts'
import { WaitingPage } from '../WaitingPage.tsx'
import { Invitations } from './Invitations.tsx'
import { InviteDialog } from './InviteDialog.tsx'
import { WorkspaceName } from './WorkspaceName.tsx'
import './members.css'

type Member = Members['members'][number]

/** The members of the workspace and their roles. */
export function MembersPage() {
  const slug = useSlug()
  const { name, role } = useWorkspace()
  const admin = role === 'admin'
  const [inviting, setInviting] = useState(false)
  const { data, error, refetch } = useQuery(membersQuery(slug))
  useDocumentTitle('Members', name)
  return (
    <>
      <PageHeader
        title="Members"
        note="Members can view everything except logs. Admins can also send commands and manage agents, logs and people."
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
        </>
      )}
      <InviteDialog slug={slug} opened={inviting} onClose={() => setInviting(false)} />
    </>
  )
}

function MemberLine({ slug, member, admin }: { slug: string; member: Member; admin: boolean }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [leaving, setLeaving] = useState(false)
  const [asked, setAsked] = useState<Role | null>(null)
  const again = () => client.invalidateQueries({ queryKey: keys.workspace(slug) })
  const change = useMutation({
    mutationFn: (role: Role) => api.setRole(slug, member.id, role),
    onSettled: again,
  })
  const remove = async () => {
    await api.removeMember(slug, member.id)
    if (!member.self) return void (await again())
    await client.invalidateQueries({ queryKey: keys.me })
    await navigate({ to: paths.home })
    client.removeQueries({ queryKey: keys.workspace(slug) })
  }
  return (
    <li className="person">
      <div className="person-who">
        <strong>
          <Text>{member.name}</Text>
        </strong>
        {member.self && (
          <Badge size="xs" variant="light" color="gray" ms={8}>
            You
          </Badge>
        )}
        <div className="svc-quiet">
          <Text>{member.email}</Text>
          {!member.emailConfirmed && ' · not confirmed'}
        </div>
        {change.error && <ErrorNote error={change.error} />}
      </div>
      {admin ? (
        <Select
          size="xs"
          w={108}
          aria-label={`Role of ${member.name}`}
          allowDeselect={false}
          data={[
            { value: 'admin', label: 'Admin' },
            { value: 'member', label: 'Member' },
          ]}
          value={change.isPending ? (change.variables ?? member.role) : member.role}
          onChange={(role) => {
            if (role === member.role) return
            if (member.self || role === 'admin') setAsked(role as Role)
            else change.mutate(role as Role)
          }}
        />
      ) : (
        <span className="svc-quiet">{member.role === 'admin' ? 'Admin' : 'Member'}</span>
      )}
      {(admin || member.self) && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="subtle" color="gray" size="compact-sm" px={6} aria-label={`More for ${member.name}`}>
              <IconDots size={17} aria-hidden />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item color="red" onClick={() => setLeaving(true)}>
              {member.self ? 'Leave this workspace' : 'Remove from this workspace'}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <Confirm
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={member.self ? 'Change your own role?' : `Make ${member.name} an admin?`}
        confirm={asked === 'admin' ? 'Make admin' : 'Become a member'}
        onConfirm={async () => {
          if (asked) await change.mutateAsync(asked)
        }}
      >
        {member.self
          ? 'You will still be able to view, but not to send commands, read logs or manage people. Another admin can undo this.'
          : 'Admins can send commands, add and delete agents, read logs, and invite and remove people, including you.'}
      </Confirm>
      <Confirm
        opened={leaving}
        onClose={() => setLeaving(false)}
        title={member.self ? 'Leave this workspace?' : `Remove ${member.name}?`}
        confirm={member.self ? 'Leave' : 'Remove'}
        danger
        onConfirm={remove}
      >
        {member.self ? 'You' : member.name} will immediately lose access to this workspace on every device. Agents,
        their tokens and the activity stay. Returning requires a new invitation.
      </Confirm>
    </li>
  )
}
