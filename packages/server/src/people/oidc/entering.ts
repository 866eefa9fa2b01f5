/** Carries out what `judge` decides about somebody who comes from the sign-in provider, and connects accounts. */
import type { ConnectionEnd, ProviderFailure } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import type { OidcSettings } from '../../platform/base.ts'
import { isNodeWithout } from '../../platform/nodes.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { confirmEmail, isEmailConfirmed } from '../accounts/confirmed.ts'
import { isDisabled } from '../accounts/disabled.ts'
import type { Accounts, Trx } from '../accounts/library.ts'
import {
  findPerson,
  hasNoAccounts,
  insertPerson,
  lockPerson,
  type Person,
  personOfId,
  storedName,
  wrongName,
} from '../accounts/store.ts'
import { audit } from '../audit/store.ts'
import { findConnected, insertConnection } from '../factors/connections.ts'
import { factorsOfPerson, kindsOf } from '../factors/held.ts'
import { queueNotice } from '../mails/queue.ts'
import { judge, type ProviderClaims, type ProviderFacts, verifiedAddress } from './judge.ts'

/** The settings that matter when somebody comes from the provider. */
export interface OidcConfig {
  baseUrl: string
  smtpUrl?: string | undefined
  oidc: OidcSettings
}
interface EnterContext {
  db: Trx
  config: OidcConfig
  /** The nodes from which announcements arrived. */
  heard: readonly string[]
  now: number
}

/**
 * Finds, connects or makes the account of somebody who comes from the provider. The message of a refusal is its reason
 * for the log.
 */
export async function enter(
  ctx: EnterContext,
  accounts: Accounts,
  claims: ProviderClaims,
): Promise<Verdict<Person, ProviderFailure>> {
  const { db, config } = ctx
  const judged = judge(claims, await factsAbout(ctx, claims), config.oidc)
  switch (judged.is) {
    case 'refused':
      return refuse(judged.why, judged.why)
    case 'make':
      return make(ctx, accounts, judged.email, claims)
    case 'link':
    case 'sign-in': {
      const person = await personOfId(db, judged.person.id)
      if (!person) return refuse('failed', 'person_gone')
      if (judged.is === 'sign-in') return done(person)
      return enteredIf(await connect({ ...ctx, by: person }, claims), person)
    }
  }
}

/** The person, if their account was connected. */
const enteredIf = (end: Verdict<null, FailedEnd>, person: Person): Verdict<Person, ProviderFailure> =>
  end.ok ? done(person) : refuse('failed', end.message)

type FailedEnd = Exclude<ConnectionEnd, 'connected'>

/**
 * Connects the account of a person, unless a node runs that would leave the connection when it hands the account over.
 * An account that was made just now gets no mail about it. The message of a refusal is its reason for the log.
 */
export async function connect(
  { db, config, heard, by, now }: EnterContext & { by: Person },
  { subject }: ProviderClaims,
  isNew = false,
): Promise<Verdict<null, FailedEnd>> {
  if (await isNodeWithout('oidc', db, heard, now)) return refuse('failed', 'nodes_mixed')
  const account = { issuer: config.oidc.issuer, subject }
  if ((await findConnected(db, account)) === by.id) return done(null)
  if (!(await insertConnection(db, by.id, account, now))) return refuse('taken', 'taken')
  const note = { workspaceId: null, at: now, by, subject: `person ${by.email}` }
  await audit(db, { ...note, action: 'person.oidc_connected', details: { provider: config.oidc.name } })
  if (!isNew) await queueNotice(db, { config }, { person: by.id, what: 'oidc_connected' }, now)
  return done(null)
}

/**
 * Makes the account of an address that the provider has verified. While nobody has an account none is made, since the
 * first one is that of the operator's link.
 */
async function make(
  ctx: EnterContext,
  accounts: Accounts,
  email: string,
  claims: ProviderClaims,
): Promise<Verdict<Person, ProviderFailure>> {
  const { db, now } = ctx
  if (await hasNoAccounts(db)) return refuse('failed', 'no_accounts')
  const made = await insertPerson({ db, by: 'themselves', now }, accounts, { email, name: nameIn(claims, email) })
  if (!made.ok) return refuse('exists', 'exists')
  await confirmEmail(db, made.value.id, now)
  return enteredIf(await connect({ ...ctx, by: made.value }, claims, true), made.value)
}

/** The rows of the people are locked, so that what is decided holds until the transaction ends. */
async function factsAbout({ db, config }: EnterContext, claims: ProviderClaims): Promise<ProviderFacts> {
  const account = { issuer: config.oidc.issuer, subject: claims.subject }
  const id = await findConnected(db, account)
  // The connection may have ended while another transaction held the lock.
  if (id !== undefined && (await lockPerson(db, { id })) && (await findConnected(db, account)) === id)
    return { connected: { person: { id }, disabled: await isDisabled(db, id) }, sameAddress: undefined }
  const email = verifiedAddress(claims)
  const person = email === undefined ? undefined : await findPerson(db, email)
  if (!person || !(await lockPerson(db, person))) return { connected: undefined, sameAddress: undefined }
  const held = await factorsOfPerson(db, config, person.id)
  const sameAddress = {
    ...{ person, disabled: await isDisabled(db, person.id), confirmed: await isEmailConfirmed(db, person.id) },
    ...{ hasFactor: kindsOf(held).length > 0, isConnected: held.connectedAt !== null },
  }
  return { connected: undefined, sameAddress }
}

/** The name that the provider says, or the part of the address before the @. */
function nameIn({ name }: ProviderClaims, email: string): string {
  const said = typeof name === 'string' ? [...name.slice(0, 1000)].slice(0, 100).join('') : ''
  return wrongName(said) ? email.slice(0, email.lastIndexOf('@')).slice(0, 100) : storedName(said)
}
