/**
 * Ends the connection of an account with the sign-in provider, records it in the activity and queues a mail about it.
 */
import type { Verdict } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { done, refuse } from '../../platform/verdict.ts'
import type { ChangeContext } from '../audit/by.ts'
import { audit } from '../audit/store.ts'
import { type ConnectionParties, deleteConnection } from '../factors/connections.ts'
import { factorsOfPerson, type ServiceAddress } from '../factors/held.ts'
import { forgetShownFactors } from '../factors/store.ts'
import { queueNotice } from '../mails/queue.ts'
import { hasPassword } from './password.ts'
import { lockPerson, type Person } from './store.ts'

/** The configuration that decides how people can sign in and whether mails are sent. */
export interface ConnectionConfig extends ServiceAddress {
  smtpUrl?: string | undefined
  oidc?: { issuer: string; name: string; only: boolean } | undefined
}

/** The ways in which a person can sign in without the operator. */
interface WaysIn {
  /** True if the person has a password, and this service allows signing in with a password. */
  password: boolean
  passkeys: number
  connected: boolean
}

export async function waysIn(db: Db, config: ConnectionConfig, person: { id: string }): Promise<WaysIn> {
  const { passkeys, connectedAt } = await factorsOfPerson(db, config, person.id)
  return {
    password: config.oidc?.only !== true && (await hasPassword(db, person)),
    passkeys,
    connected: connectedAt !== null,
  }
}

/**
 * Disconnects a person at their own request. Other sessions then no longer count as ones in which a factor was shown.
 * If no factor is left, the same holds for this session.
 */
export async function disconnect({
  db,
  config,
  by,
  session,
  now,
}: ChangeContext<Person> & { config: ConnectionConfig; session: { id: string } }): Promise<
  Verdict<null, 'factor_unknown' | 'last_way_in'>
> {
  // Sign-ins through the provider and removals of other ways in take this lock too, so they cannot happen in between.
  await lockPerson(db, by)
  const { password, passkeys, connected } = await waysIn(db, config, by)
  if (connected && !password && passkeys === 0) return lastWayIn
  const removed = await deleteConnection(db, by.id)
  if (!removed) return refuse('factor_unknown', 'Your account is connected with no provider.')
  await forgetShownFactors(db, by.id, { session, config })
  await noteRemoved({ db, by, now }, config, by, removed)
  return done(null)
}

/**
 * Disconnects an account that is handed over, or whose factors are reset. False if the account is connected with no
 * provider. The caller ends the sessions.
 */
export async function dropConnection(ctx: ChangeContext, config: ConnectionConfig, person: Person): Promise<boolean> {
  const removed = await deleteConnection(ctx.db, person.id)
  if (!removed) return false
  await forgetShownFactors(ctx.db, person.id)
  await noteRemoved(ctx, config, person, removed)
  return true
}

async function noteRemoved(
  { db, by, now }: ChangeContext,
  config: ConnectionConfig,
  person: Person,
  { issuer, account }: ConnectionParties,
): Promise<void> {
  const known = account === null ? {} : { account }
  // The name of a provider that was configured earlier is no longer known, so its host is shown.
  const provider = issuer === config.oidc?.issuer ? config.oidc.name : (URL.parse(issuer)?.host ?? issuer)
  const note = { workspaceId: null, at: now, by, subject: `person ${person.email}` }
  await audit(db, { ...note, action: 'person.oidc_removed', details: { provider, ...known } })
  await queueNotice(db, { config }, { person: person.id, what: 'oidc_removed', ...known }, now)
}

/** The refusal to remove the only way in which a person can sign in. */
export const lastWayIn = refuse(
  'last_way_in',
  'This is the last way in to your account. Choose a password, add a passkey or connect a provider first.',
)
