/**
 * Hands an account over to the owner of its e-mail address, with a link from the operator, or one that was mailed to
 * somebody who forgot the password. Both set a new password and end all sessions and unused links. A link from the
 * operator also removes all factors. A mailed link to an address that was not confirmed before removes passkeys and the
 * connection with the sign-in provider, since the account may have been made by somebody else.
 */
import type { Verdict } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { audit } from '../audit/store.ts'
import { endFirstHalves } from '../factors/first-halves.ts'
import { queueNotice } from '../mails/queue.ts'
import { confirmEmail, isEmailConfirmed } from './confirmed.ts'
import { dropConnection } from './connection.ts'
import { removeFactorsAndNotify } from './factors.ts'
import { type Accounts, decideWithAccounts, type PeopleDeps, type Trx } from './library.ts'
import { linkPerson, useLink } from './links.ts'
import { removePasskeys } from './passkeys.ts'
import {
  lockPerson,
  type Person,
  type PersonRefusal,
  passwordRefusal,
  readPersonalWords,
  storedName,
  wrongName,
} from './store.ts'

interface Claim {
  token: string
  name: string
  password: string
}

export async function claimAccount(
  people: PeopleDeps & { config: { dataDir: string; baseUrl: string; smtpUrl?: string | undefined } },
  { token, name, password }: Claim,
  now: number,
): Promise<Verdict<Person, 'link_unknown' | PersonRefusal>> {
  const { db } = people.store
  const link = await claimablePerson(db, token, now)
  if (!link) return usedAlready
  const { person, purpose } = link
  const wrong = wrongName(name) ?? passwordRefusal(password, await readPersonalWords(db, { ...person, name }))
  if (wrong) return wrong
  const hash = await (await people.auth.$context).password.hash(password)
  return decideWithAccounts<Person, 'link_unknown'>(people, async (trx, accounts) => {
    if (!(await useLink(trx, purpose, token, now))) return usedAlready
    const owner = { ...person, name: storedName(name) }
    // The lock waits for sign-ins in progress, whose sessions end below. A later sign-in finds neither the old password
    // nor an old link.
    if (!(await lockPerson(trx, owner))) return usedAlready
    await handOver(trx, accounts, owner, hash)
    await endFirstHalves(trx, owner.id)
    const ctx = { db: trx, by: owner, now }
    const isFirstProof = purpose === 'claim' || !(await isEmailConfirmed(trx, owner.id))
    // A link of the operator also removes an authenticator app, since the new owner does not have the phone with it.
    if (purpose === 'claim') await removeFactorsAndNotify(ctx, people.config, owner)
    else if (isFirstProof) await removePasskeys(ctx, people.config)
    if (isFirstProof) await dropConnection(ctx, people.config, owner)
    await queueNotice(trx, people, { person: owner.id, what: 'password' }, now)
    await confirmEmail(trx, owner.id, now)
    const note = { workspaceId: null, at: now, by: owner, subject: `person ${owner.email}` }
    const action = purpose === 'claim' ? 'person.claimed' : 'person.password_reset'
    await audit(trx, { ...note, action, details: { nameBefore: person.name } })
    return done(owner)
  })
}

/**
 * Returns the person whose account this link hands over, and the link's purpose; undefined if the link cannot be used
 * now. The operator made a link for `claim`; one for `forgot` was mailed to a person who forgot the password.
 */
export async function claimablePerson(
  db: Db,
  token: string,
  now: number,
): Promise<{ person: Person; purpose: 'claim' | 'forgot' } | undefined> {
  for (const purpose of ['claim', 'forgot'] as const) {
    const person = await linkPerson(db, purpose, token, now)
    if (person) return { person, purpose }
  }
  return undefined
}

async function handOver(trx: Trx, { own }: Accounts, { id, name }: Person, hash: string): Promise<void> {
  await own.updateUser(id, { name })
  if (await own.findCredentialAccount(id)) await own.updatePassword(id, hash)
  else await own.linkAccount({ userId: id, providerId: 'credential', accountId: id, password: hash })
  await own.deleteUserSessions(id)
  await trx.deleteFrom('link').where('person_id', '=', id).where('used_at', 'is', null).execute()
}

const usedAlready = refuse('link_unknown', 'This link was used or has expired. Ask for a new one.')
