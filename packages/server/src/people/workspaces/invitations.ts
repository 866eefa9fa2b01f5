/**
 * Invitations to a workspace, made by its admins or the operator. The invited person gets a link and joins with it
 * (accepting.ts), either with a new account for the invited address or as the signed-in person.
 */
import type { Members, Role } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import { readMailbox } from '../../deliveries/recipient.ts'
import type { Db } from '../../platform/db/open.ts'
import { isAheadSql } from '../../platform/db/times.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { type Auth, invitationMs } from '../accounts/auth.ts'
import { type Accounts, decideWithAccounts, type PeopleCtx, type PeopleDeps, type Trx } from '../accounts/library.ts'
import { countSend } from '../accounts/sends.ts'
import { findNamed, findPerson, type Person, refuseTakenEmail } from '../accounts/store.ts'
import { audit } from '../audit/store.ts'
import { queueMail } from '../mails/queue.ts'
import { checkRoomFor } from './limits.ts'
import {
  type Invitation,
  invitationModel,
  invitationUrl,
  inviterNames,
  mayInvite,
  openInvitation,
  unknownInvitation,
} from './open-invitations.ts'
import {
  insertOperatorInvitation,
  listOperatorInvitations,
  operatorInvitation,
  operatorsName,
  replaceOperatorInvitations,
  takeOperatorInvitation,
} from './operator-invitations.ts'
import { asRole, findRole, type WorkspaceInfo } from './store.ts'

type InviteRefusal = 'email_invalid' | 'email_taken' | 'rate_limited' | 'member_already' | 'people_too_many'
type CreatedInvitation = { id: string; url: string; mailed: boolean }

/**
 * Invites the owner of an e-mail address to a workspace. An earlier invitation of this address to the workspace is
 * withdrawn.
 */
export function invite(
  {
    people,
    by,
    now,
  }: PeopleCtx<Person> & { people: PeopleDeps & { config: { baseUrl: string; smtpUrl?: string | undefined } } },
  workspace: WorkspaceInfo,
  { email, role, mail = false }: { email: string; role: Role; mail?: boolean },
): Promise<Verdict<CreatedInvitation, InviteRefusal>> {
  return decideWithAccounts<CreatedInvitation, InviteRefusal>(people, async (trx, { tables }) => {
    const ready = await addressToInvite({ trx, tables, workspace, email, now })
    if (!ready.ok) return ready
    const address = ready.value
    await deleteEnded(trx, workspace, now)
    const { id } = await tables.create<object, Invitation>({
      model: invitationModel,
      data: {
        organizationId: workspace.id,
        email: address,
        role,
        status: 'pending',
        expiresAt: new Date(now + invitationMs),
        createdAt: new Date(now),
        inviterId: by.id,
      },
    })
    const note = { workspaceId: workspace.id, at: now, by, subject: `person ${address}` }
    await audit(trx, { ...note, action: 'member.invited', details: { role } })
    const canMail = mail && people.config.smtpUrl !== undefined
    const counted = canMail ? await countInvitation(trx, workspace, address, now) : done(null)
    if (!counted.ok) return counted
    const domain = address.slice(address.lastIndexOf('@') + 1)
    const topic = { kind: 'invitation', invitation: id, workspace: workspace.id, domain } as const
    const mailed = canMail && (await queueMail(trx, topic, now))
    return done({ id, url: invitationUrl(people, id), mailed })
  })
}

/**
 * Invites the owner of an e-mail address on behalf of the operator, also to a workspace without members, and returns
 * the link. An earlier invitation of this address to the workspace is withdrawn.
 */
export const inviteAsOperator = (
  { people, by, now }: PeopleCtx & { people: PeopleDeps & { config: { baseUrl: string } } },
  workspace: WorkspaceInfo,
  { email, role }: { email: string; role: Role },
): Promise<Verdict<{ email: string; url: string }, InviteRefusal>> =>
  decideWithAccounts<{ email: string; url: string }, InviteRefusal>(people, async (trx, { tables }) => {
    const named = (await findNamed(trx, email))?.email ?? email
    const ready = await addressToInvite({ trx, tables, workspace, email: named, now })
    if (!ready.ok) return ready
    const id = await insertOperatorInvitation(trx, { workspaceId: workspace.id, email: ready.value, role }, now)
    const note = { workspaceId: workspace.id, at: now, by, subject: `person ${ready.value}` }
    await audit(trx, { ...note, action: 'member.invited', details: { role } })
    return done({ email: ready.value, url: invitationUrl(people, id) })
  })

interface ToInvite {
  trx: Trx
  tables: Accounts['tables']
  workspace: WorkspaceInfo
  /** The address as it was typed. */
  email: string
  now: number
}

/**
 * Returns the address as it is stored, if it can be invited, and withdraws its earlier invitations to the workspace.
 */
async function addressToInvite({
  trx,
  tables,
  workspace,
  email,
  now,
}: ToInvite): Promise<Verdict<string, InviteRefusal>> {
  const person = await findPerson(trx, email)
  if (person && (await findRole(trx, workspace.id, person.id))) {
    return refuse('member_already', `${person.email} is already a member of the workspace.`)
  }
  const read = person ? done(person.email) : await newAddress(trx, email)
  if (!read.ok) return read
  const earlier = [...pendingOf(workspace), { field: 'email', value: read.value }]
  await tables.updateMany({ model: invitationModel, where: earlier, update: { status: 'canceled' } })
  await replaceOperatorInvitations(trx, workspace, read.value)
  const room = await checkRoomFor(trx, workspace, { kind: 'people' }, now)
  return room.ok ? read : room
}

/**
 * Counts an invitation by mail. Addresses that differ only in the part after a `+` usually lead to the same mailbox,
 * and count together.
 */
const countInvitation = (trx: Db, workspace: { id: string }, address: string, now: number) =>
  countSend(
    trx,
    [
      ['invite_workspace', workspace.id],
      ['invite_address', address.replace(/\+[^@]*@/, '@')],
    ],
    now,
  )

/** Checks that an address has no account, and returns it as it is stored. */
async function newAddress(db: Db, typed: string): Promise<Verdict<string, 'email_invalid' | 'email_taken'>> {
  const read = readMailbox(typed)
  return (read.ok && (await refuseTakenEmail(db, read.value))) || read
}

export function withdrawInvitation(
  { people, by, now }: PeopleCtx<Person>,
  workspace: WorkspaceInfo,
  id: string,
): Promise<Verdict<null, 'invitation_unknown'>> {
  return decideWithAccounts<null, 'invitation_unknown'>(people, async (trx, { tables }) => {
    const where = [...pendingOf(workspace), { field: 'id', value: id }]
    const operatorsInvitation = await operatorInvitation(trx, id, now)
    const invitation =
      operatorsInvitation?.workspaceId === workspace.id
        ? operatorsInvitation
        : await tables.findOne<Invitation>({ model: invitationModel, where })
    if (!invitation) return unknownInvitation
    if (invitation === operatorsInvitation) await takeOperatorInvitation(trx, id, now)
    else await tables.updateMany({ model: invitationModel, where, update: { status: 'canceled' } })
    const note = { workspaceId: workspace.id, at: now, by, subject: `person ${invitation.email}` }
    await audit(trx, { ...note, action: 'member.invitation_withdrawn' })
    return done(null)
  })
}

/**
 * Lists the open invitations to a workspace, the latest expiry first. An invitation is marked as void if the person who
 * made it may no longer invite.
 */
export async function listInvitations(
  people: PeopleDeps & { config: { baseUrl: string } },
  workspace: WorkspaceInfo,
  now: number,
): Promise<Members['invitations']> {
  const open = await people.store.db
    .selectFrom('invitation')
    .leftJoin('member', (join) =>
      join
        .onRef('member.workspaceId', '=', 'invitation.workspaceId')
        .onRef('member.userId', '=', 'invitation.inviterId'),
    )
    .leftJoin('person_disabled', 'person_disabled.person_id', 'invitation.inviterId')
    .select(['invitation.id', 'email', 'invitation.role', 'expiresAt', 'inviterId', 'member.role as inviter'])
    .select('disabled_at')
    .where('invitation.workspaceId', '=', workspace.id)
    .where('status', '=', 'pending')
    .where(isAheadSql('expiresAt', now, invitationMs, 'date'))
    .execute()
  const names = await inviterNames(people.store.db, open)
  const operatorsRows = (await listOperatorInvitations(people.store.db, workspace, now)).map((row) => ({
    ...{ id: row.id, email: row.email, role: row.role, expiresAt: row.expiresAt },
    ...{ invitedBy: operatorsName, url: listedUrl(people, row), void: false },
  }))
  return open
    .map((row) => ({
      id: row.id,
      email: row.email,
      role: asRole(row.role),
      expiresAt: new Date(row.expiresAt).getTime(),
      invitedBy: names.get(row.inviterId) ?? 'somebody',
      url: listedUrl(people, row),
      void: row.disabled_at !== null || !mayInvite(row.inviter, row.role),
    }))
    .concat(operatorsRows)
    .sort((a, b) => b.expiresAt - a.expiresAt)
}

/**
 * The link of an invitation in a list; null for an invitation as an admin, because every reader of the list could use
 * the link, and inviting admins needs a proof.
 */
const listedUrl = (
  people: { auth: Auth; config: { baseUrl: string } },
  { id, role }: { id: string; role: string },
): string | null => (asRole(role) === 'admin' ? null : invitationUrl(people, id))

/** Shows the link of an open invitation to this workspace again. */
export function showInvitationLink(
  { people, by, now }: PeopleCtx<Person> & { people: PeopleDeps & { config: { baseUrl: string } } },
  workspace: WorkspaceInfo,
  id: string,
): Promise<Verdict<{ url: string }, 'invitation_unknown'>> {
  return decideWithAccounts<{ url: string }, 'invitation_unknown'>(people, async (trx, { tables }) => {
    const invitation = await openInvitation(trx, tables, id, now)
    if (invitation?.workspaceId !== workspace.id) return unknownInvitation
    const note = { workspaceId: workspace.id, at: now, by, subject: `person ${invitation.email}` }
    await audit(trx, { ...note, action: 'member.invitation_shown', details: { role: invitation.role } })
    return done({ url: invitationUrl(people, id) })
  })
}

/**
 * Deletes a workspace's invitations that were used, were withdrawn or have expired; the audit trail still shows them.
 */
const deleteEnded = (trx: Trx, workspace: { id: string }, now: number) =>
  trx
    .deleteFrom('invitation')
    .where('workspaceId', '=', workspace.id)
    .where((eb) => eb.or([eb('status', '!=', 'pending'), eb('expiresAt', '<=', new Date(now))]))
    .execute()

const pendingOf = (workspace: { id: string }) => [
  { field: 'organizationId', value: workspace.id },
  { field: 'status', value: 'pending' },
]
