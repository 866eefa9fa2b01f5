/**
 * The first steps of a workspace, which an admin sees until all are done or the admin dismisses them. The stored data
 * of the workspace shows which steps are done. A separate row of each person says if they dismissed the steps.
 */
import type { FirstSteps, Me } from '@svc/api'
import { invitationMs } from '../../people/accounts/auth.ts'
import { onboardingWanted } from '../../people/accounts/onboarding.ts'
import { findWorkspace } from '../../people/workspaces/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { isAheadSql } from '../../platform/db/times.ts'
import { hasEnabledChannel } from './alerts.ts'

/**
 * True if the steps are shown to an admin. They are hidden once all are done, or if the person dismissed them (`wanted`
 * is false). If the person never saw them (`wanted` is undefined), they are also hidden once an agent has reported and
 * somebody else was invited.
 */
export function areStepsShown(steps: FirstSteps, wanted: boolean | undefined): boolean {
  if (wanted === false || Object.values(steps).every(Boolean)) return false
  return wanted === true || !(steps.agent && steps.people)
}

/** The first steps of a workspace, if they are shown to this admin; null if not. */
export async function firstStepsFor(
  db: Db,
  workspace: { id: string },
  person: { id: string },
  now: number,
): Promise<FirstSteps | null> {
  const wanted = await onboardingWanted(db, person.id)
  if (wanted === false) return null
  const steps = await readFirstSteps(db, workspace, now)
  return areStepsShown(steps, wanted) ? steps : null
}

/** True if a person sees the first steps in one of the workspaces of which they are an admin. */
export async function isOnboarding(
  db: Db,
  person: { id: string },
  workspaces: Me['workspaces'],
  now: number,
): Promise<boolean> {
  if ((await onboardingWanted(db, person.id)) === false) return false
  for (const { slug, role } of workspaces) {
    const workspace = role === 'admin' ? await findWorkspace(db, slug) : undefined
    if (workspace && (await firstStepsFor(db, workspace, person, now))) return true
  }
  return false
}

async function readFirstSteps(db: Db, { id }: { id: string }, now: number): Promise<FirstSteps> {
  const agent = await db
    .selectFrom('agent')
    .innerJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select('agent.id')
    .where('workspace_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  const members = await db.selectFrom('member').select('id').where('workspaceId', '=', id).limit(2).execute()
  const invitation = await db
    .selectFrom('invitation')
    .select('id')
    .where('workspaceId', '=', id)
    .where('status', '=', 'pending')
    .where(isAheadSql('expiresAt', now, invitationMs, 'date'))
    .limit(1)
    .executeTakeFirst()
  const version = await db
    .selectFrom('blueprint_version')
    .innerJoin('blueprint', 'blueprint.id', 'blueprint_version.blueprint_id')
    .select('blueprint.id')
    .where('workspace_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  return {
    agent: agent !== undefined,
    notified: await hasEnabledChannel(db, { id }),
    people: members.length > 1 || invitation !== undefined,
    blueprint: version !== undefined,
  }
}
