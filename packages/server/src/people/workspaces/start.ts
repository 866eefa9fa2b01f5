import type { Verdict } from '@svc/protocol'
import { done, refuse } from '../../platform/verdict.ts'
import { decide, type People } from '../accounts/library.ts'
import { isLinkValid, useLink } from '../accounts/links.ts'
import { insertPerson, type Person, type PersonRefusal, readyPerson } from '../accounts/store.ts'
import { activateWithin, insertWorkspace, ownProduct, type WorkspaceRefusal } from './store.ts'

interface FirstStart {
  token: string
  name: string
  email: string
  password: string
  workspace: string
  slug: string
}

/**
 * Makes the first person and their workspace with the link that the service printed at its start. Using the link,
 * making the account, and making and activating the workspace happen together or not at all.
 */
export async function firstStart(
  people: People,
  { token, workspace, slug, ...person }: FirstStart,
  now: number,
): Promise<Verdict<Person, 'link_unknown' | PersonRefusal | WorkspaceRefusal>> {
  // The link is checked before the password is hashed, because hashing is slow, and only people with a link may cause
  // it.
  if (!(await isLinkValid(people.store.db, 'first', token, now))) return usedAlready
  const ready = await readyPerson(people, { ...person, workspaces: [workspace, slug] })
  if (!ready.ok) return ready
  return decide<Person, 'link_unknown' | PersonRefusal | WorkspaceRefusal>(people, async (trx, accounts) => {
    if (!(await useLink(trx, 'first', token, now))) return usedAlready
    const made = await insertPerson({ db: trx, by: 'themselves', now }, accounts, ready.value)
    if (!made.ok) return made
    const by = made.value
    const home = await insertWorkspace({ db: trx, by, now }, accounts, { slug, name: workspace, adminId: by.id })
    if (!home.ok) return home
    await activateWithin({ db: trx, by, now }, home.value, ownProduct)
    return done(by)
  })
}

const usedAlready = refuse('link_unknown', 'This link was already used. Sign in, or ask the operator for a link.')
