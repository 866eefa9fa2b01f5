import './members.css'
import { Badge, Button, Menu, Select } from '@mantine/core'
import type { Members, Role } from '@svc/api'
import { IconDots, IconUserPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { forgetWorkspace, queryKeys, read } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { ErrorNote, Help, PageHeader, Text, useConfirm, useDocumentTitle } from '../ui/index.ts'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { Invitations, InviteDialog } from './Invitations.tsx'

/** The members of the workspace and their roles. */
export function MembersPage() {
  const slug = useSlug()
  const { name, role } = useWorkspace()
  const admin = role === 'admin'
  const [inviting, setInviting] = useState(false)
  const query = useQuery(read('GET /w/:slug/members', { slug }))
  const { data } = query
  useDocumentTitle('Members', name)
  return (
    <div className="svc-narrow">
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
      <QueryState of={query} />
      {data && (
        <>
          <ul className="people" aria-label="Members">
            {data.members.map((member) => (
              <MemberLine key={member.id} slug={slug} member={member} admin={admin} />
            ))}
          </ul>
          {admin && <Invitations slug={slug} invitations={data.invitations} />}
        </>
      )}
      <InviteDialog slug={slug} opened={inviting} onClose={() => setInviting(false)} />
    </div>
  )
}

type Member = Members['members'][number]
interface MemberProps {
  slug: string
  member: Member
}

/**
 * Shows one member with name and role. Admins can change roles and remove members, and all members can leave by
 * themselves.
 */
function MemberLine({ slug, member, admin }: MemberProps & { admin: boolean }) {
  const client = useQueryClient()
  const change = useChange(async (role: Role) => {
    try {
      await call('PATCH /w/:slug/members/:id', { slug, id: member.id }, { role })
    } finally {
      await client.invalidateQueries({ queryKey: queryKeys.workspace(slug) })
    }
  })
  return (
    <li className="person person-member">
      <div className="person-who">
        <div>
          <strong>
            <Text>{member.name}</Text>
          </strong>{' '}
          {member.self && (
            <Badge size="xs" variant="light" color="gray" ms={4}>
              You
            </Badge>
          )}
        </div>
        <div className="svc-quiet">
          <Text>{member.email}</Text>
          {!member.emailConfirmed && ' · not confirmed'}
          {factorInWords(member)}
        </div>
        {change.error !== null && <ErrorNote error={change.error} />}
      </div>
      {admin ? (
        <RoleSelect member={member} role={change.values ?? member.role} change={change.run} />
      ) : (
        <span className="svc-quiet">{member.role === 'admin' ? 'Admin' : 'Member'}</span>
      )}
      {(admin || member.self) && <MemberMenu slug={slug} member={member} />}
    </li>
  )
}

/**
 * Says whether a member has a second factor; empty if the viewer may not know. A missing one is said only of admins.
 */
function factorInWords({ factor, role }: Member): string {
  if (factor === true) return ' · second factor'
  return factor === false && role === 'admin' ? ' · no second factor' : ''
}

interface RoleSelectProps {
  member: Member
  /** The role to show: the new role while it is being saved, otherwise the stored one. */
  role: Role
  change: (role: Role) => Promise<unknown>
}

/**
 * Lets an admin select the role of a member. Asks for confirmation if the member would become an admin, or if the admin
 * changes their own role.
 */
function RoleSelect({ member, role, change }: RoleSelectProps) {
  const confirm = useConfirm()
  const select = (selected: Role) => {
    if (selected === member.role) return
    // If the change of another member's role fails, their line shows why.
    if (!member.self && selected !== 'admin') return void change(selected).catch(() => undefined)
    confirm({
      title: member.self ? 'Change your own role?' : `Make ${member.name} an admin?`,
      content: member.self
        ? 'You will still be able to view, but not to send commands, read logs or manage people. Another admin can undo this.'
        : 'Admins can send commands, add and delete agents, read logs, and invite and remove people, including you.',
      confirm: selected === 'admin' ? 'Make admin' : 'Become a member',
      act: () => change(selected),
    })
  }
  return (
    <Select
      size="xs"
      w={108}
      aria-label={`Role of ${member.name}`}
      allowDeselect={false}
      data={[
        { value: 'admin', label: 'Admin' },
        { value: 'member', label: 'Member' },
      ]}
      value={role}
      onChange={(selected) => select(selected as Role)}
    />
  )
}

/**
 * The menu to remove a member from the workspace. On the line of the signed-in person, the menu is for leaving the
 * workspace.
 */
function MemberMenu({ slug, member }: MemberProps) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const remove = async () => {
    await call('DELETE /w/:slug/members/:id', { slug, id: member.id })
    if (!member.self) return void (await client.invalidateQueries({ queryKey: queryKeys.workspace(slug) }))
    await forgetWorkspace(client, slug)
    await navigate({ to: paths.home })
    client.removeQueries({ queryKey: queryKeys.workspace(slug) })
  }
  const ask = () =>
    confirm({
      title: member.self ? 'Leave this workspace?' : `Remove ${member.name}?`,
      content: `${member.self ? 'You' : member.name} will immediately lose access to this workspace on every device. Agents, their tokens and the activity stay. Returning requires a new invitation.`,
      confirm: member.self ? 'Leave' : 'Remove',
      danger: true,
      act: remove,
    })
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-sm" px={6} aria-label={`More for ${member.name}`}>
          <IconDots size={17} aria-hidden />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item color="red" onClick={ask}>
          {member.self ? 'Leave this workspace' : 'Remove from this workspace'}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
