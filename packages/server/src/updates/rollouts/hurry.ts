/** Lets agents of a rollout start the update although they still watch the version that they run (D30). */
import type { RolloutSeen } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import type { Actor, ChangeContext } from '../../people/audit/by.ts'
import type { Db } from '../../platform/db/open.ts'
import { betweenTransactions, type RunInTransaction, transaction } from '../../platform/db/transaction.ts'
import type { WorkspaceRef } from '../../platform/ids.ts'
import { piecesOf } from '../../platform/lists.ts'
import { refuse } from '../../platform/verdict.ts'
import { doNotWaitInTransaction } from '../wishes/hurry.ts'
import type { RolloutRefusal } from './plan.ts'
import { isRolloutInProgress } from './states.ts'
import { auditRollout, nothingWaitsText, refuseChangedRollout, tooOldText } from './store.ts'
import { lockRollout } from './withdraw.ts'

const agentsAtOnce = 100

/**
 * Marks the wishes of a rollout, so that their agents do not wait for the end of watching; a few agents in each
 * transaction. Agents of later waves have no wish yet and are left out. Returns the ids of the agents whose wishes were
 * marked.
 */
export async function doNotWaitInRollout(
  { db, by, now }: ChangeContext<Actor, Db | RunInTransaction>,
  workspace: WorkspaceRef,
  id: string,
  expected?: RolloutSeen,
): Promise<Verdict<{ id: string; agents: string[] }, RolloutRefusal>> {
  const asked = await transaction(db, (trx) => membersAsked(trx, workspace, id, expected))
  if (!asked.ok) return asked
  const changed: string[] = []
  let isAnyTooOld = false
  for (const piece of piecesOf(asked.value, agentsAtOnce)) {
    await betweenTransactions(db)
    const told = await transaction(db, async (trx) => {
      const rollout = await lockRollout(trx, workspace, id)
      if (!rollout || !isRolloutInProgress(rollout.state)) return { agents: [], tooOld: false }
      const verdicts = await doNotWaitInTransaction(trx, piece, { by, now, rollout: id })
      const agents = verdicts.flatMap((verdict) => (verdict.ok && verdict.value.made ? [verdict.value.agent.id] : []))
      if (agents.length > 0)
        await auditRollout(trx, rollout, { by, now, action: 'rollout.hurried' }, { agents: agents.length })
      return { agents, tooOld: verdicts.some((verdict) => !verdict.ok && verdict.code === 'svc_too_old') }
    })
    changed.push(...told.agents)
    isAnyTooOld ||= told.tooOld
  }
  return changed.length === 0
    ? refuse('rollout_not_running', isAnyTooOld ? tooOldText : nothingWaitsText)
    : { ok: true, value: { id, agents: changed } }
}

/**
 * The agents that have the wish of a rollout and no outcome, sorted by id, because reports lock agents in this order.
 */
async function membersAsked(
  trx: Db,
  workspace: WorkspaceRef,
  id: string,
  expected: RolloutSeen | undefined,
): Promise<Verdict<{ id: string; workspace_id: string }[], RolloutRefusal>> {
  const rollout = await lockRollout(trx, workspace, id)
  if (!rollout) return refuse('rollout_unknown', 'There is no such rollout.')
  const changed = refuseChangedRollout(rollout, expected)
  if (changed) return changed
  if (!isRolloutInProgress(rollout.state)) return refuse('rollout_not_running', `The rollout is ${rollout.state}.`)
  if (rollout.kind !== 'blueprint') return refuse('rollout_not_running', nothingWaitsText)
  const members = await trx
    .selectFrom('rollout_agent')
    .innerJoin('agent', 'agent.id', 'rollout_agent.agent_id')
    .select(['agent.id', 'agent.workspace_id'])
    .where('rollout_id', '=', id)
    .where('state', '=', 'wished')
    .where('wished_version', '=', rollout.version)
    .orderBy('agent.id')
    .execute()
  return { ok: true, value: members }
}
