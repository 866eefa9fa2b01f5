/**
 * Handles access that had ended since the backup and that a restore brings back (D79): ends most of it again, and lists
 * all of it for the operator.
 */
import type { Actor } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AccessEntry } from './access.ts'
import type { LaterChanges } from './since.ts'

/**
 * The names, by kind, of the people and objects that a restore brought back: the address of a person, the short name of
 * a workspace, or another name that people know.
 */
export type RevivedNames = Record<RevivedKind, string[]>
export type RevivedKind =
  | 'peopleDeleted'
  | 'peopleDisabled'
  | 'addresses'
  | 'workspaces'
  | 'members'
  | 'agents'
  | 'recoveryCodes'
  | 'passkeys'
  | 'connections'
  | 'passwords'
  | 'factors'
  | 'botTokens'
  | 'products'
  | 'channels'
  | 'requirements'

/** Lists the names of the people and objects that a restore brought back. */
export function revivedBy({ gone, changed, required }: LaterChanges): RevivedNames {
  const disabled = changed.people.filter(({ now }) => now !== '')
  const roles = changed.members.filter(({ state }) => state === 'admin').map((m) => ({ name: `${m.name} (admin)` }))
  return {
    peopleDeleted: names(gone.people),
    peopleDisabled: names(disabled),
    addresses: names(changed.addresses),
    workspaces: names(gone.workspaces),
    members: names([...gone.members, ...roles]),
    agents: names(gone.agents),
    recoveryCodes: names(gone.recoveryCodes),
    passkeys: names(gone.passkeys),
    connections: names(gone.connections),
    passwords: names([...gone.passwords, ...changed.passwords]),
    factors: names([...gone.factors, ...changed.factors]),
    botTokens: names(endedTokens({ gone, changed })),
    products: names([...gone.products, ...changed.products]),
    channels: names(gone.channels),
    requirements: names(required),
  }
}

const names = (entries: readonly Pick<AccessEntry, 'name'>[]): string[] =>
  [...new Set(entries.map(({ name }) => name))].sort()

const endedTokens = ({ gone, changed }: Pick<LaterChanges, 'gone' | 'changed'>): AccessEntry[] => [
  ...gone.botTokens,
  ...changed.botTokens.filter(({ now }) => now !== ''),
]

/**
 * Returns a function that is true for an agent whose token ended since the backup: the token was replaced, or the agent
 * or its workspace was deleted.
 */
export function tokenEnded({ gone, changed }: LaterChanges): (agent: { id: string; workspaceId: string }) => boolean {
  const ended = new Set([...gone.agents, ...changed.agents, ...gone.workspaces].map(({ key }) => key))
  return ({ id, workspaceId }) => ended.has(id) || ended.has(workspaceId)
}

/**
 * Ends access in the restored data that had ended since the backup. Memberships, passwords, addresses and authenticator
 * apps stay as they are in the backup.
 */
export async function keepEnded(trx: Db, since: LaterChanges, by: Actor, now: number): Promise<void> {
  const { gone, changed, required } = since
  for (const { key, name } of [...gone.people, ...changed.people.filter((person) => person.now !== '')]) {
    const row = { person_id: key, disabled_at: now }
    const made = await trx
      .insertInto('person_disabled')
      .values(row)
      .onConflict((oc) => oc.column('person_id').doNothing())
      .returning('person_id')
      .executeTakeFirst()
    if (made) await audit(trx, { workspaceId: null, at: now, by, action: 'person.disabled', subject: `person ${name}` })
  }
  for (const { key } of gone.recoveryCodes) await trx.deleteFrom('recovery_code').where('hash', '=', key).execute()
  for (const { owners } of gone.connections)
    await trx
      .deleteFrom('oidc_connection')
      .where('person_id', 'in', [...owners])
      .execute()
  for (const { key } of gone.passkeys) await trx.deleteFrom('passkey').where('id', '=', key).execute()
  for (const { key } of endedTokens(since))
    await trx
      .updateTable('bot_token')
      .set({ revoked_at: now })
      .where('id', '=', key)
      .where('revoked_at', 'is', null)
      .execute()
  for (const { key, now: hash } of changed.products)
    await trx
      .updateTable('product')
      .set({ secret_hash: hash || null })
      .where('id', '=', key)
      .execute()
  for (const { key, state } of required)
    await trx
      .insertInto('factor_requirement')
      .values({ workspace_id: key, from_at: Number(state) })
      .execute()
}
