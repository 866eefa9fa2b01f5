/** Carries out what `judgeClaims` decides about somebody who comes from the sign-in provider, and connects accounts. */
import type { ConnectionEnd, ProviderFailure } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import type { OidcSettings } from '../../platform/base.ts'
import { isNodeWithout } from '../../platform/nodes.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { confirmEmail, isEmailConfirmed } from '../accounts/confirmed.ts'
import { isDisabled } from '../accounts/disabled.ts'
import type { Accounts, Trx } from '../accounts/library.ts'
import { countSend } from '../accounts/sends.ts'
import { endSessionsBeforeFactor } from '../accounts/sessions.ts'
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
import { findConnected, insertConnection, nameConnection } from '../factors/connections.ts'
import { factorKindsOf, factorsOfPerson } from '../factors/held.ts'
import { queueNotice } from '../mails/queue.ts'
import { accountName, judgeClaims, type ProviderClaims, type ProviderFacts, verifiedAddress } from './judge.ts'

/** The settings that matter when somebody comes from the provider. */
export interface OidcConfig {
  baseUrl: string
  smtpUrl?: string | undefined
  oidc: OidcSettings
}
interface EnterContext {
  db: Trx
  config: OidcConfig
  /** The nodes from which announcements arrived in the last minutes (`Live.nodesHeard`). */
  heard: readonly string[]
  now: number
}

interface ComingContext extends EnterContext {
  /** The network address of the browser, as it is counted (D16). */
  caller: string
  /** True if the address has an open invitation to a workspace. */
  isInvited: (email: string) => Promise<boolean>
}

/**
 * Finds, connects or makes the account of somebody who comes from the provider. The message of a refusal is its reason
 * for the log.
 */
export async function enterFromProvider(
  ctx: ComingContext,
  accounts: Accounts,
  claims: ProviderClaims,
): Promise<Verdict<EnteredAccount, ProviderFailure>> {
  const { db, config } = ctx
  const judged = judgeClaims(claims, await factsAbout(ctx, claims), config.oidc)
  switch (judged.is) {
    case 'refused':
      return refuse(judged.why, judged.why)
    case 'make':
      return make(ctx, accounts, judged.email, claims)
    case 'link':
    case 'sign-in': {
      const person = await personOfId(db, judged.person.id)
      if (!person) return refuse('failed', 'person_gone')
      if (judged.is === 'sign-in') {
        await nameConnection(db, person.id, accountName(claims))
        return done({ person, sessionsEnded: 0 })
      }
      return enteredIf(await connectAccount({ ...ctx, by: person }, claims, {}), person)
    }
  }
}

/** Returns the person if their account was connected, otherwise the refusal. */
const enteredIf = (
  end: Verdict<ConnectedAccount, FailedEnd>,
  person: Person,
): Verdict<EnteredAccount, ProviderFailure> => (end.ok ? done({ person, ...end.value }) : refuse('failed', end.message))

/** An account that was connected, with the number of sessions that ended because of it. */
interface ConnectedAccount {
  sessionsEnded: number
}
interface EnteredAccount extends ConnectedAccount {
  person: Person
}
interface ConnectOptions {
  /** The session in which the person connects the account; undefined if the account is connected at a sign-in. */
  kept?: { id: string }
  /** True for an account that was made just now. */
  isNew?: boolean
}

type FailedEnd = Exclude<ConnectionEnd, 'connected'>

/**
 * Connects a person's account with their account at the sign-in provider. Other sessions end as after adding a passkey
 * (`endSessionsBeforeFactor`). Refused while a node of an earlier version runs, since it would not end the connection
 * when it gives the account to another person; the message of a refusal is its reason for the log.
 */
export async function connectAccount(
  { db, config, heard, by, now }: EnterContext & { by: Person },
  claims: ProviderClaims,
  { kept = { id: '' }, isNew = false }: ConnectOptions,
): Promise<Verdict<ConnectedAccount, FailedEnd>> {
  if (await isNodeWithout('oidc', db, heard, now)) return refuse('failed', 'nodes_mixed')
  const there = { issuer: config.oidc.issuer, subject: claims.subject }
  if ((await findConnected(db, there)) === by.id) return done({ sessionsEnded: 0 })
  await lockPerson(db, by)
  const isFirst = factorKindsOf(await factorsOfPerson(db, config, by.id)).length === 0
  const account = accountName(claims)
  if (!(await insertConnection(db, by.id, { ...there, account }, now))) return refuse('taken', 'taken')
  const sessionsEnded = await endSessionsBeforeFactor(db, by, { kept, isFirst }, now)
  const note = { workspaceId: null, at: now, by, subject: `person ${by.email}` }
  const details = { provider: config.oidc.name, account, sessionsEnded }
  await audit(db, { ...note, action: 'person.oidc_connected', details })
  if (!isNew) await queueNotice(db, { config }, { person: by.id, what: 'oidc_connected', account }, now)
  return done({ sessionsEnded })
}

/**
 * Makes the account of an address that the provider has verified. The first account of the service is never made here,
 * since it is made with the operator's link. If every domain is allowed, anybody may have an account at the provider,
 * so the number of new accounts is limited, except for invited people.
 */
async function make(
  ctx: ComingContext,
  accounts: Accounts,
  email: string,
  claims: ProviderClaims,
): Promise<Verdict<EnteredAccount, ProviderFailure>> {
  const { config, caller, db, now } = ctx
  if (await hasNoAccounts(db)) return refuse('failed', 'no_accounts')
  const isStranger = config.oidc.allow === '*' && !(await ctx.isInvited(email))
  const counted = [
    ['account_address', caller],
    ['account_provider', config.oidc.issuer],
  ] as const
  if (isStranger && !(await countSend(db, counted, now)).ok) return refuse('limited', 'too_many_accounts')
  const made = await insertPerson({ db, by: 'themselves', now }, accounts, { email, name: nameIn(claims, email) })
  if (!made.ok) return refuse('exists', 'exists')
  await confirmEmail(db, made.value.id, now)
  return enteredIf(await connectAccount({ ...ctx, by: made.value }, claims, { isNew: true }), made.value)
}

/**
 * Reads the accounts that the claims may mean, and locks the person's row, so that the facts stay true until the
 * transaction ends.
 */
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
    ...{ hasFactor: factorKindsOf(held).length > 0, isConnected: held.connectedAt !== null },
  }
  return { connected: undefined, sameAddress }
}

/** The name in the claims, or the part of the address before the @ if the name cannot be used. */
function nameIn({ name }: ProviderClaims, email: string): string {
  const said = typeof name === 'string' ? [...name.slice(0, 1000)].slice(0, 100).join('') : ''
  return wrongName(said) ? email.slice(0, email.lastIndexOf('@')).slice(0, 100) : storedName(said)
}
