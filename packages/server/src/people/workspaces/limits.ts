/**
 * Limits what a workspace may contain, so that one workspace cannot fill the service for all. Each limit is a default
 * or a value set by the operator. Code that adds something calls `checkRoomFor` in the same transaction, which locks
 * the workspace, so that simultaneous additions are counted.
 */

import type { Verdict } from '@svc/protocol'
import { sizeText } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { isAheadSql } from '../../platform/db/times.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { invitationMs } from '../accounts/auth.ts'
import type { ChangeContext } from '../audit/by.ts'
import { audit } from '../audit/store.ts'
import { lockWorkspace } from './lock.ts'

export const defaultLimits = {
  agents: 10_000,
  /** The maximum number of members and open invitations of a workspace together. */
  people: 200,
  /** The maximum total bytes of all versions of all blueprints of a workspace. */
  bundles: 1_000_000_000,
} as const
type LimitKind = keyof typeof defaultLimits
const limitKinds = Object.keys(defaultLimits) as LimitKind[]

type Limits = Record<LimitKind, { limit: number; used: number }>

/** Every limit of a workspace, and how much of it is used. */
export async function readLimits(db: Db, workspace: { id: string }, now: number): Promise<Limits> {
  const all = await Promise.all(
    limitKinds.map(async (kind) => {
      const usage = {
        limit: await readLimit(db, workspace.id, kind),
        used: await countUsed[kind](db, workspace.id, now),
      }
      return [kind, usage] as const
    }),
  )
  return Object.fromEntries(all) as Limits
}

/**
 * Sets limits of a workspace; null restores a default. If a workspace already exceeds its new limit, nothing is
 * removed.
 */
export function setLimits(
  { db, by, now }: ChangeContext,
  workspace: { id: string; slug: string },
  changes: Partial<Record<LimitKind, number | null>>,
): Promise<void> {
  return transaction(db, async (trx) => {
    await lockWorkspace(trx, workspace.id)
    for (const [kind, value] of Object.entries(changes) as [LimitKind, number | null][]) {
      await trx
        .deleteFrom('workspace_limit')
        .where('workspace_id', '=', workspace.id)
        .where('kind', '=', kind)
        .execute()
      if (value === null) continue
      await trx.insertInto('workspace_limit').values({ workspace_id: workspace.id, kind, value }).execute()
    }
    const note = { workspaceId: workspace.id, at: now, by, subject: `workspace ${workspace.slug}` }
    await audit(trx, { ...note, action: 'workspace.limits_changed', details: changes })
  })
}

/**
 * Checks whether `more` agents, people or bytes of bundles fit into a limit of the workspace. Locks the workspace until
 * the transaction ends.
 */
export async function checkRoomFor<K extends LimitKind>(
  trx: Db,
  workspace: { id: string },
  { kind, more = 1 }: { kind: K; more?: number },
  now: number,
): Promise<Verdict<null, `${K}_too_many`>> {
  await lockWorkspace(trx, workspace.id)
  const limit = await readLimit(trx, workspace.id, kind)
  const before = await countUsed[kind](trx, workspace.id, now)
  if (before + more <= limit) return { ok: true, value: null }
  const { what, instead, amount } = words[kind]
  const message = `The workspace may have ${amount(limit)} ${what} and has ${amount(before)}: ${instead}, or ask the operator to raise the limit (svc-server workspace limit).`
  return { ok: false, code: `${kind}_too_many`, message }
}

async function readLimit(db: Db, workspaceId: string, kind: LimitKind): Promise<number> {
  const row = await db
    .selectFrom('workspace_limit')
    .select('value')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row ? Number(row.value) : defaultLimits[kind]
}

const countUsed: Record<LimitKind, (db: Db, workspaceId: string, now: number) => Promise<number>> = {
  async agents(db, workspaceId) {
    const { n } = await db
      .selectFrom('agent')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow()
    return Number(n)
  },
  async people(db, workspaceId, now) {
    const members = await db
      .selectFrom('member')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('workspaceId', '=', workspaceId)
      .executeTakeFirstOrThrow()
    const invited = await db
      .selectFrom('invitation')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('workspaceId', '=', workspaceId)
      .where('status', '=', 'pending')
      .where(isAheadSql('expiresAt', now, invitationMs, 'date'))
      .executeTakeFirstOrThrow()
    const operatorsInvitations = await db
      .selectFrom('operator_invitation')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('workspace_id', '=', workspaceId)
      .where(isAheadSql('expires_at', now, invitationMs))
      .executeTakeFirstOrThrow()
    return Number(members.n) + Number(invited.n) + Number(operatorsInvitations.n)
  },
  async bundles(db, workspaceId) {
    const { bytes } = await db
      .selectFrom('blueprint_version')
      .innerJoin('blueprint', 'blueprint.id', 'blueprint_version.blueprint_id')
      .select((eb) => eb.fn.sum<number | null>('size').as('bytes'))
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow()
    return Number(bytes ?? 0)
  },
}

const count = (n: number) => n.toLocaleString('en-US')
const words: Record<LimitKind, { what: string; instead: string; amount: (n: number) => string }> = {
  agents: { what: 'agents', instead: 'delete agents that no longer report', amount: count },
  people: {
    what: 'members and open invitations',
    instead: 'remove members or revoke invitations',
    amount: count,
  },
  bundles: { what: 'of bundles', instead: 'delete versions that no agent runs', amount: sizeText },
}
