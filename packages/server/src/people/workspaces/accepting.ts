/** Invited people: what they see of an invitation, the mail with its link, and how they accept it. */
import type { InvitationInfo } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import { done, refuse } from '../../platform/verdict.ts'
import { decideWithAccounts, type PeopleCtx, type PeopleDeps } from '../accounts/library.ts'
import { safeNameOr } from '../accounts/named.ts'
import { findPerson, insertPerson, type Person, type PersonRefusal, prepareNewPerson } from '../accounts/store.ts'
import {
  invitationIdOf,
  invitationSignature,
  invitationUrl,
  openInvitation,
  takeInvitation,
  unknownInvitation,
} from './open-invitations.ts'
import { takeOperatorInvitation } from './operator-invitations.ts'
import { insertMember, workspaceOfId } from './store.ts'

/** The facts about an invitation that everybody who has its link may see. */
export async function invitationInfo(
  people: PeopleDeps,
  link: string,
  now: number,
): Promise<Verdict<InvitationInfo, 'invitation_unknown'>> {
  const id = invitationIdOf(people.auth, link)
  const { adapter } = await people.auth.$context
  const found = id === undefined ? undefined : await openInvitation(people.store.db, adapter, id, now)
  const workspace = await workspaceOfId(people.store.db, found?.workspaceId)
  if (!found || !workspace) return unknownInvitation
  const { email, role, invitedBy } = found
  const hasAccount = (await findPerson(people.store.db, email)) !== undefined
  return done({ workspace: workspace.name, email, role, invitedBy, hasAccount })
}

/**
 * The facts for the mail about an invitation; undefined if the invitation was withdrawn or used, or has expired or
 * become void.
 */
export async function invitationToMail(
  people: PeopleDeps & { config: { baseUrl: string } },
  id: string,
  now: number,
): Promise<{ email: string; workspace: string; invitedBy: string; url: string } | undefined> {
  const info = await invitationInfo(people, `${id}.${invitationSignature(people.auth, id)}`, now)
  if (!info.ok) return undefined
  const { email, workspace, invitedBy } = info.value
  const names = { workspace: safeNameOr(workspace, 'a workspace'), invitedBy: safeNameOr(invitedBy, 'Somebody') }
  return { email, ...names, url: invitationUrl(people, id) }
}

type AcceptRefusal = 'invitation_unknown' | 'invitation_for_other' | 'sign_in_needed' | 'member_already' | PersonRefusal

/**
 * Accepts an invitation: as the signed-in person, or by making an account for the invited address. The account, the
 * membership and the end of the invitation are one transaction.
 */
export async function acceptInvitation(
  { people, by: who, now }: PeopleCtx<Person | undefined>,
  link: string,
  { name, password }: { name?: string | undefined; password?: string | undefined },
): Promise<Verdict<{ slug: string; person: Person; made: boolean }, AcceptRefusal>> {
  const id = invitationIdOf(people.auth, link)
  const info = await invitationInfo(people, link, now)
  if (!info.ok || id === undefined) return unknownInvitation
  const { email } = info.value
  if (who && (await findPerson(people.store.db, email))?.id !== who.id) {
    return refuse(
      'invitation_for_other',
      `The invitation is for ${email}, but ${who.email} is signed in: sign out first.`,
    )
  }
  if (!who && info.value.hasAccount) {
    return refuse(
      'sign_in_needed',
      `There is already an account for ${email}. Sign in with it, then open the link again. If it is not yours, ask the operator of this service to hand it over to you.`,
    )
  }
  const ready = who
    ? undefined
    : await prepareNewPerson(people, {
        email,
        name: name ?? '',
        password: password ?? '',
        workspaces: [info.value.workspace],
      })
  if (ready && !ready.ok) return ready
  return decideWithAccounts<{ slug: string; person: Person; made: boolean }, AcceptRefusal>(
    people,
    async (trx, accounts) => {
      const taken = (await takeOperatorInvitation(trx, id, now)) ?? (await takeInvitation(trx, accounts, id, now))
      const workspace = await workspaceOfId(trx, taken?.workspaceId)
      if (!taken || !workspace) return unknownInvitation
      const made = ready ? await insertPerson({ db: trx, by: 'themselves', now }, accounts, ready.value) : undefined
      if (made && !made.ok) return made
      const person = made?.value ?? who
      if (!person) return unknownInvitation
      const added = await insertMember(trx, accounts, { workspace, person, role: taken.role, by: person, now })
      if (!added.ok) return added
      return done({ slug: workspace.slug, person, made: made !== undefined })
    },
  )
}
