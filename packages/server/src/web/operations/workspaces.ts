/** Carries out the operations on a workspace and its people. */
import { type Route, type Workspace, workspaces } from '@svc/api'
import { deleteWorkspace } from '../../people/workspaces/delete.ts'
import { invite, listInvitations, showInvitationLink, withdrawInvitation } from '../../people/workspaces/invitations.ts'
import { createOwnWorkspace } from '../../people/workspaces/making.ts'
import { changeRole, membersOfWorkspace, removeMember } from '../../people/workspaces/members.ts'
import { readRequirement, requireFactor } from '../../people/workspaces/requirement.ts'
import { rightsIn } from '../../people/workspaces/rights.ts'
import { isActivated, renameWorkspace, type WorkspaceInfo } from '../../people/workspaces/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { requireFound } from '../../platform/refusal.ts'
import { refuse, done as verdict } from '../../platform/verdict.ts'
import { countUnfinishedActions } from '../queries/actions.ts'
import { activityCsv, readActivity } from '../queries/activity.ts'
import { alertCounts } from '../queries/alerts.ts'
import { firstStepsFor } from '../queries/first-steps.ts'
import { bindChange, bindPersonChange, bindReading, type ReadArguments } from '../routing/operations.ts'

const okAnswer = { answer: () => ({ ok: true as const }) }

export const workspaceOperations = [
  bindPersonChange(workspaces.createWorkspace, (ctx, wanted) => createOwnWorkspace(ctx, wanted), {
    answer: ({ slug }) => ({ slug }),
  }),
  bindReading(workspaces.showWorkspace, (reader) => readShownWorkspace(reader, reader.workspace)),
  bindChange(
    workspaces.renameWorkspace,
    async ({ workspace, ...ctx }, { name, factorFrom }) => {
      if (name === undefined && factorFrom === undefined)
        return refuse('body_invalid', 'The body must have "name" or "factorFrom".')
      if (factorFrom !== undefined) {
        const required = await requireFactor(ctx, workspace, factorFrom)
        if (!required.ok) return required
      }
      return name === undefined ? verdict(workspace) : renameWorkspace(ctx, workspace, name)
    },
    { answer: (renamed, reader) => readShownWorkspace(reader, renamed) },
  ),
  bindChange(workspaces.deleteWorkspace, ({ workspace, ...ctx }) => deleteWorkspace(ctx, workspace), okAnswer),
  bindReading(
    workspaces.members,
    async ({ deps, workspace, who, role, now }) => ({
      members: await membersOfWorkspace(
        deps.store.db,
        workspace,
        who.person,
        role === 'admin' ? deps.config : undefined,
      ),
      invitations: role === 'admin' ? await listInvitations(deps, workspace, now) : [],
    }),
    { holdsSecrets: true },
  ),
  bindChange(
    workspaces.changeRole,
    ({ workspace, params: { id }, ...ctx }, { role }) => changeRole(ctx, workspace, { id, role }),
    okAnswer,
  ),
  bindChange(
    workspaces.removeMember,
    ({ workspace, role, params: { id }, ...ctx }) =>
      removeMember(ctx, workspace, { id, only: role === 'admin' ? 'anybody' : 'oneself' }),
    okAnswer,
  ),
  bindPersonChange(workspaces.invite, ({ workspace, ...ctx }, asked) => invite(ctx, workspace, asked)),
  bindPersonChange(workspaces.showInvitationLink, ({ workspace, params, ...ctx }) =>
    showInvitationLink(ctx, workspace, params.id),
  ),
  bindPersonChange(
    workspaces.withdrawInvitation,
    ({ workspace, params, ...ctx }) => withdrawInvitation(ctx, workspace, params.id),
    okAnswer,
  ),
  bindReading(workspaces.activity, ({ deps, workspace }, { limit, ...filter }) =>
    readActivity(deps.store.db, workspace, filter, limit),
  ),
  bindReading(workspaces.exportActivity, async ({ deps, workspace }, filter) => {
    const headers = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${workspace.slug}-activity.csv"`,
    }
    return new Response(await activityCsv(deps.store.db, workspace, filter), { headers })
  }),
]

async function readShownWorkspace(
  { deps, who, now }: Pick<ReadArguments<Route>, 'deps' | 'who' | 'now'>,
  { id, slug, name }: WorkspaceInfo,
): Promise<Workspace> {
  const { db } = deps.store
  // The rights depend on whether the workspace requires a factor, which this request may have changed.
  const { role, hasShownNone } = requireFound(await rightsIn(db, { id }, who, { now }), 'workspace_unknown')
  const { agents } = await db
    .selectFrom('agent')
    .select((eb) => eb.fn.countAll<number>().as('agents'))
    .where('workspace_id', '=', id)
    .executeTakeFirstOrThrow()
  return {
    slug,
    name,
    role,
    activated: await isActivated(db, id),
    agents: Number(agents),
    bots: await countBots(db, { id }),
    unfinishedActions: await countUnfinishedActions(db, { id }),
    alerts: await alertCounts(db, { id }),
    factor: { from: await readRequirement(db, { id }), missing: hasShownNone },
    firstSteps: role === 'admin' ? await firstStepsFor(db, { id }, who.person, now) : null,
  }
}

async function countBots(db: Db, workspace: { id: string }): Promise<number> {
  const { bots } = await db
    .selectFrom('bot')
    .select((eb) => eb.fn.countAll<number>().as('bots'))
    .where('workspace_id', '=', workspace.id)
    .executeTakeFirstOrThrow()
  return Number(bots)
}
