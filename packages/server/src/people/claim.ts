/**
 * Hands an account over to the owner of its e-mail address. Nothing proves that the person who made the account owns
 * the address, so the operator, who knows the owner, makes a link. Its use sets a new password and ends all sessions
 * and unused links of the account.
 */
import type { Verdict } from '@svc/protocol'
import { audit } from '../audit/store.ts'
import { done, refuse } from '../verdict.ts'
import { confirmEmail } from './confirmed.ts'
import { type Accounts, decide, type People, type Trx } from './library.ts'
import { linkPerson, useLink } from './links.ts'
import { ownWords, type Person, type PersonRefusal, wrongName, wrongPassword } from './store.ts'

interface Claim {
  token: string
  name: string
  password: string
}

export async function claimAccount(
  people: People,
  { token, name, password }: Claim,
  now: number,
): Promise<Verdict<Person, 'link_unknown' | PersonRefusal>> {
  const { db } = people.store
  const person = await linkPerson(db, 'claim', token, now)
  if (!person) return usedAlready
  const wrong = wrongName(name) ?? wrongPassword(password, await ownWords(db, { ...person, name }))
  if (wrong) return wrong
  const hash = await (await people.auth.$context).password.hash(password)
  return decide<Person, 'link_unknown'>(people, async (trx, accounts) => {
    if (!(await useLink(trx, 'claim', token, now))) return usedAlready
    const owner = { ...person, name: name.trim() }
    await handOver(trx, accounts, owner, hash)
    await confirmEmail(trx, owner.id, now)
    const note = { workspaceId: null, at: now, by: owner, subject: `person ${owner.email}` }
    await audit(trx, { ...note, action: 'person.claimed', details: { nameBefore: person.name } })
    return done(owner)
  })
}

async function handOver(trx: Trx, { own }: Accounts, { id, name }: Person, hash: string): Promise<void> {
  await own.updateUser(id, { name })
  if (await own.findCredentialAccount(id)) await own.updatePassword(id, hash)
  else await own.linkAccount({ userId: id, providerId: 'credential', accountId: id, password: hash })
  await own.deleteUserSessions(id)
  await trx.deleteFrom('link').where('person_id', '=', id).where('used_at', 'is', null).execute()
}

const usedAlready = refuse('link_unknown', 'This link was used or has expired. Ask the operator for a new one.')
