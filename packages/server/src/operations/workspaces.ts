/** What the operations on a workspace and its people do. */
import { type Role, type Workspace, workspaces } from '@svc/api'
import type { Db } from '../db/open.ts'
import { activityOf } from '../pages/activity.ts'
import { type Bound, looks, personActs } from '../web/kit/operations.ts'
import { invitationsOf, invite, withdraw } from '../workspaces/invitations.ts'
import { changeRole, membersOf, removeMember } from '../workspaces/members.ts'
import { createOwnWorkspace } from '../workspaces/own.ts'
import { isActivated, renameWorkspace, type WorkspaceInfo } from '../workspaces/store.ts'

const done = { answer: () => ({ ok: true as const }) }

export const workspaceOperations: readonly Bound[] = [
  personActs(workspaces.createWorkspace, ({ people, by, now }, wanted) => createOwnWorkspace(people, wanted, by, now), {
    answer: ({ slug }) => ({ slug }),
  }),
  looks(workspaces.showWorkspace, ({ deps, workspace, role }) => shown(deps.store.db, workspace, role)),
  personActs(
    workspaces.renameWorkspace,
    ({ people, workspace, by, now }, { name }) => renameWorkspace(people, workspace, name, by, now),
    { answer: (renamed, { deps, role }) => shown(deps.store.db, renamed, role) },
  ),
  looks(workspaces.members, async ({ deps, workspace, who, role, now }) => ({
    members: await membersOf(deps.store.db, workspace, who.person),
    invitations: role === 'admin' ? await invitationsOf(deps, workspace, now) : [],
  })),
  personActs(
    workspaces.changeRole,
    ({ people, workspace, by, now, params: { id } }, { role }) => changeRole(people, workspace, { id, role }, by, now),
    done,
  ),
  personActs(
    workspaces.removeMember,
    ({ people, workspace, role, by, now, params: { id } }) =>
      removeMember(people, workspace, { id, only: role === 'admin' ? 'anybody' : 'oneself' }, by, now),
    done,
  ),
  personActs(
    workspaces.invite,
    ({ people, workspace, by, now }, asked) => invite(people, workspace, asked, by, now),
    {},
  ),
  personActs(
    workspaces.withdrawInvitation,
    ({ people, workspace, by, now, params }) => withdraw(people, workspace, params.id, by, now),
    done,
  ),
  looks(workspaces.activity, ({ deps, workspace }, { before, limit }) =>
    activityOf(deps.store.db, workspace, before, limit),
  ),
]

async function shown(db: Db, { id, slug, name }: WorkspaceInfo, role: Role): Promise<Workspace> {
  const { agents } = await db
    .selectFrom('agent')
    .select((eb) => eb.fn.countAll<number>().as('agents'))
    .where('workspace_id', '=', id)
    .executeTakeFirstOrThrow()
  return { slug, name, role, activated: await isActivated(db, id), agents: Number(agents) }
}
