/**
 * Records the states of the agents of a rollout. Agents are judged outside of transactions, since on the embedded
 * database reports wait while a transaction runs. Each short transaction that records states checks that the rollout
 * has not changed meanwhile.
 */
import { isDeepStrictEqual } from 'node:util'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { RolloutDbRow } from '../../platform/db/tables.ts'
import { betweenTransactions, transaction } from '../../platform/db/transaction.ts'
import { piecesOf } from '../../platform/lists.ts'
import { readOutages } from '../wishes/away.ts'
import { isMemberMoving, isWaitedFor, judgeMember, type RolloutMember } from './judge.ts'
import { membersOfRollout, readMemberFacts } from './members.ts'

/** Locks a rollout for this node; undefined if another node has locked it. */
export const tryLockRollout = (trx: Db, id: string): Promise<RolloutDbRow | undefined> => {
  const row = trx.selectFrom('rollout').selectAll().where('id', '=', id)
  return (isPostgres(trx) ? row.forUpdate().skipLocked() : row).executeTakeFirst()
}

/** Locks a rollout for this node. False if another node has locked it, or if it has changed since it was read. */
export async function lockUnchanged(trx: Db, rollout: RolloutDbRow): Promise<boolean> {
  const current = await tryLockRollout(trx, rollout.id)
  return current !== undefined && isDeepStrictEqual(current, rollout)
}

/** The number of agents that are judged in one turn of the event loop. */
const judgedAtOnce = 250

interface JudgedAgents {
  members: RolloutMember[]
  waitsFor: RolloutMember[]
  changed: boolean
}

/**
 * Judges the agents of a rollout and records their new states; with `open` only those whose outcome is unknown.
 * Undefined if another node has locked the rollout, or if the rollout changed meanwhile.
 */
export async function judgeAgents(
  db: Db,
  rollout: RolloutDbRow,
  now: number,
  open = false,
): Promise<JudgedAgents | undefined> {
  const before = await membersOfRollout(db, rollout, open)
  const away = await readOutages(db, rollout.created_at)
  const [moving, members] = [before.filter(isMemberMoving), before.filter((member) => !isMemberMoving(member))]
  const waitsFor: RolloutMember[] = []
  let changed = false
  for (const piece of piecesOf(moving, judgedAtOnce)) {
    await betweenTransactions(db)
    const ids = piece.map(({ agentId }) => agentId)
    const facts = await readMemberFacts(db, ids, now, { backAt: away.at(-1)?.to })
    const changes: MemberChange[] = []
    for (const member of piece) {
      const own = facts.get(member.agentId)
      const after = own ? { ...member, ...judgeMember(member, rollout, own, away) } : member
      members.push(after)
      if (own && isWaitedFor(after, rollout.kind, own, now)) waitsFor.push(after)
      if (isChanged(member, after)) changes.push({ member, after })
    }
    if (changes.length === 0) continue
    const recorded = await transaction(db, async (trx) => {
      if (!(await lockUnchanged(trx, rollout))) return false
      for (const change of changes) await record(trx, rollout, change, now)
      return true
    })
    if (!recorded) return undefined
    changed = true
  }
  return { members, waitsFor, changed }
}

interface MemberChange {
  member: RolloutMember
  after: RolloutMember
}

const isChanged = (member: RolloutMember, { state, reason, worseAt }: RolloutMember): boolean =>
  state !== member.state || reason !== member.reason || worseAt !== member.worseAt

/** Stores the new state of an agent, unless the stored state has changed since it was read. */
async function record(trx: Db, rollout: RolloutDbRow, { member, after }: MemberChange, now: number): Promise<void> {
  const { state, reason, worseAt } = after
  const at = state === member.state ? {} : { at: now }
  await memberQuery(trx, rollout, member.agentId)
    .set({ state, reason, worse_at: worseAt, ...at })
    .where('state', '=', member.state)
    .execute()
}

export const memberQuery = (trx: Db, rollout: { id: string }, agentId: string) =>
  trx.updateTable('rollout_agent').where('rollout_id', '=', rollout.id).where('agent_id', '=', agentId)
