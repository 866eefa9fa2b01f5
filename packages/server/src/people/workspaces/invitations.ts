/**
 * Invitations to a workspace: an admin passes on a link, and the invited person joins with it, either with a new
 * account for the invited address or as the signed-in person. The link is signed, so that somebody who can read the
 * table still cannot join.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { InvitationInfo, Members, Role } from '@svc/api'
import { isAhead, type Verdict } from '@svc/protocol'
import { readMailbox } from '../../deliveries/recipient.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { liesAhead } from '../../platform/db/times.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { type Auth, invitationLasts } from '../accounts/auth.ts'
import { type Accounts, decide, type People, type PeopleCtx, type Trx } from '../accounts/library.ts'
import { named } from '../accounts/named.ts'
import { countSend } from '../accounts/sends.ts'
import {
  findNamed,
  findPerson,
  insertPerson,
  type Person,
  type PersonRefusal,
  readyPerson,
  takenBy,
} from '../accounts/store.ts'
import { audit } from '../audit/store.ts'
import { queueMail } from '../mails/queue.ts'
import { roomFor } from './limits.ts'
import {
  insertOperatorInvitation,
  operatorInvitation,
  operatorInvitationsOf,
  operatorsName,
  replaceOperatorInvitations,
  takeOperatorInvitation,
} from './operator-invitations.ts'
import { asRole, insertMember, roleOf, type WorkspaceInfo, workspaceOfId } from './store.ts'

/** A row of the table in which the accounts library stores invitations. */
interface Invitation {
  id: string
  organizationId: string
  email: string
  role: string
  status: string
  expiresAt: Date
  inviterId: string
}
type InviteRefusal = 'email_invalid' | 'email_taken' | 'rate_limited' | 'member_already' | 'people_too_many'
type Invited = { id: string; url: string; mailed: boolean }
const model = 'invitation'

/** Invites the owner of an e-mail address to a workspace. An earlier invitation of the same address is withdrawn. */
export function invite(
  {
    people,
    by,
    now,
  }: PeopleCtx<Person> & { people: People & { config: { baseUrl: string; smtpUrl?: string | undefined } } },
  workspace: WorkspaceInfo,
  { email, role, mail = false }: { email: string; role: Role; mail?: boolean },
): Promise<Verdict<Invited, InviteRefusal>> {
  return decide<Invited, InviteRefusal>(people, async (trx, { tables }) => {
    const ready = await addressToInvite({ trx, tables, workspace, email, now })
    if (!ready.ok) return ready
    const address = ready.value
    await deleteEnded(trx, workspace, now)
    const { id } = await tables.create<object, Invitation>({
      model,
      data: {
        organizationId: workspace.id,
        email: address,
        role,
        status: 'pending',
        expiresAt: new Date(now + invitationLasts),
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
    return done({ id, url: urlOf(people, id), mailed })
  })
}

/**
 * Invites the owner of an e-mail address on behalf of the operator, also to a workspace without members. Returns the
 * link. An earlier invitation of the same address is withdrawn.
 */
export const inviteAsOperator = (
  { people, by, now }: PeopleCtx & { people: People & { config: { baseUrl: string } } },
  workspace: WorkspaceInfo,
  { email, role }: { email: string; role: Role },
): Promise<Verdict<{ email: string; url: string }, InviteRefusal>> =>
  decide<{ email: string; url: string }, InviteRefusal>(people, async (trx, { tables }) => {
    const named = (await findNamed(trx, email))?.email ?? email
    const ready = await addressToInvite({ trx, tables, workspace, email: named, now })
    if (!ready.ok) return ready
    const id = await insertOperatorInvitation(trx, { workspaceId: workspace.id, email: ready.value, role }, now)
    const note = { workspaceId: workspace.id, at: now, by, subject: `person ${ready.value}` }
    await audit(trx, { ...note, action: 'member.invited', details: { role } })
    return done({ email: ready.value, url: urlOf(people, id) })
  })

interface ToInvite {
  trx: Trx
  tables: Accounts['tables']
  workspace: WorkspaceInfo
  /** The address as it was typed. */
  email: string
  now: number
}

/** Returns the address as it is stored, if it can be invited, and withdraws earlier invitations of the address. */
async function addressToInvite({
  trx,
  tables,
  workspace,
  email,
  now,
}: ToInvite): Promise<Verdict<string, InviteRefusal>> {
  const person = await findPerson(trx, email)
  if (person && (await roleOf(trx, workspace.id, person.id))) {
    return refuse('member_already', `${person.email} is already a member of the workspace.`)
  }
  const read = person ? done(person.email) : await newAddress(trx, email)
  if (!read.ok) return read
  const earlier = [...pendingOf(workspace), { field: 'email', value: read.value }]
  await tables.updateMany({ model, where: earlier, update: { status: 'canceled' } })
  await replaceOperatorInvitations(trx, workspace, read.value)
  const room = await roomFor(trx, workspace, { kind: 'people' }, now)
  return room.ok ? read : room
}

/**
 * Counts an invitation by mail. Addresses that differ only behind a `+` usually lead to the same mailbox, and count
 * together.
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

/** The address of somebody who has no account, as it is stored. */
async function newAddress(db: Db, typed: string): Promise<Verdict<string, 'email_invalid' | 'email_taken'>> {
  const read = readMailbox(typed)
  return (read.ok && (await takenBy(db, read.value))) || read
}

export function withdraw(
  { people, by, now }: PeopleCtx<Person>,
  workspace: WorkspaceInfo,
  id: string,
): Promise<Verdict<null, 'invitation_unknown'>> {
  return decide<null, 'invitation_unknown'>(people, async (trx, { tables }) => {
    const where = [...pendingOf(workspace), { field: 'id', value: id }]
    const ours = await operatorInvitation(trx, id, now)
    const invitation = ours?.workspaceId === workspace.id ? ours : await tables.findOne<Invitation>({ model, where })
    if (!invitation) return unknown
    if (invitation === ours) await takeOperatorInvitation(trx, id, now)
    else await tables.updateMany({ model, where, update: { status: 'canceled' } })
    const note = { workspaceId: workspace.id, at: now, by, subject: `person ${invitation.email}` }
    await audit(trx, { ...note, action: 'member.invitation_withdrawn' })
    return done(null)
  })
}

/**
 * The invitations to a workspace that were not used or withdrawn and have not expired, the latest expiry first. An
 * invitation is marked as void if the person who made it may no longer invite.
 */
export async function invitationsOf(
  people: People & { config: { baseUrl: string } },
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
    .where(liesAhead('expiresAt', now, invitationLasts, 'date'))
    .execute()
  const names = await namesOf(people.store.db, open)
  const ours = (await operatorInvitationsOf(people.store.db, workspace, now)).map((row) => ({
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
    .concat(ours)
    .sort((a, b) => b.expiresAt - a.expiresAt)
}

/**
 * The link that a list shows of an invitation. It is never one that makes somebody an admin, because each reader can use
 * it, and inviting admins needs a proof.
 */
const listedUrl = (
  people: { auth: Auth; config: { baseUrl: string } },
  { id, role }: { id: string; role: string },
): string | null => (asRole(role) === 'admin' ? null : urlOf(people, id))

/** Shows the link of an open invitation to this workspace again. */
export function showLink(
  { people, by, now }: PeopleCtx<Person> & { people: People & { config: { baseUrl: string } } },
  workspace: WorkspaceInfo,
  id: string,
): Promise<Verdict<{ url: string }, 'invitation_unknown'>> {
  return decide<{ url: string }, 'invitation_unknown'>(people, async (trx, { tables }) => {
    const invitation = await openInvitation(trx, tables, id, now)
    if (invitation?.workspaceId !== workspace.id) return unknown
    const note = { workspaceId: workspace.id, at: now, by, subject: `person ${invitation.email}` }
    await audit(trx, { ...note, action: 'member.invitation_shown', details: { role: invitation.role } })
    return done({ url: urlOf(people, id) })
  })
}

/** The facts about an invitation that everybody who has its link may see. */
export async function invitationInfo(
  people: People,
  link: string,
  now: number,
): Promise<Verdict<InvitationInfo, 'invitation_unknown'>> {
  const id = idOf(people.auth, link)
  const { adapter } = await people.auth.$context
  const found = id === undefined ? undefined : await openInvitation(people.store.db, adapter, id, now)
  const workspace = await workspaceOfId(people.store.db, found?.workspaceId)
  if (!found || !workspace) return unknown
  const { email, role, invitedBy } = found
  const hasAccount = (await findPerson(people.store.db, email)) !== undefined
  return done({ workspace: workspace.name, email, role, invitedBy, hasAccount })
}

interface OpenInvitation {
  workspaceId: string
  email: string
  role: Role
  invitedBy: string
}

/** Finds an invitation that can be accepted, of a person or of the operator. */
async function openInvitation(
  db: Db,
  tables: Pick<Accounts['tables'], 'findOne'>,
  id: string,
  now: number,
): Promise<OpenInvitation | undefined> {
  const ours = await operatorInvitation(db, id, now)
  if (ours) return { ...ours, invitedBy: operatorsName }
  const row = await tables.findOne<Invitation>({ model, where: [{ field: 'id', value: id }] })
  if (!row || !isOpen(row, now) || !(await isGood(db, row))) return undefined
  const names = await namesOf(db, [row])
  const { organizationId: workspaceId, email } = row
  return { workspaceId, email, role: asRole(row.role), invitedBy: names.get(row.inviterId) ?? 'somebody' }
}

/**
 * The facts for the mail about an invitation; undefined if the invitation was withdrawn or used, or has expired or
 * become void.
 */
export async function invitationToMail(
  people: People & { config: { baseUrl: string } },
  id: string,
  now: number,
): Promise<{ email: string; workspace: string; invitedBy: string; url: string } | undefined> {
  const info = await invitationInfo(people, `${id}.${signatureOf(people.auth, id)}`, now)
  if (!info.ok) return undefined
  const { email, workspace, invitedBy } = info.value
  const names = { workspace: named(workspace, 'a workspace'), invitedBy: named(invitedBy, 'Somebody') }
  return { email, ...names, url: urlOf(people, id) }
}

type AcceptRefusal = 'invitation_unknown' | 'invitation_for_other' | 'sign_in_needed' | 'member_already' | PersonRefusal

/**
 * Accepts an invitation: as the signed-in person, or by making an account for the invited address. The account, the
 * membership and the end of the invitation are one transaction.
 */
export async function accept(
  { people, by: who, now }: PeopleCtx<Person | undefined>,
  link: string,
  { name, password }: { name?: string | undefined; password?: string | undefined },
): Promise<Verdict<{ slug: string; person: Person; made: boolean }, AcceptRefusal>> {
  const id = idOf(people.auth, link)
  const info = await invitationInfo(people, link, now)
  if (!info.ok || id === undefined) return unknown
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
    : await readyPerson(people, {
        email,
        name: name ?? '',
        password: password ?? '',
        workspaces: [info.value.workspace],
      })
  if (ready && !ready.ok) return ready
  return decide<{ slug: string; person: Person; made: boolean }, AcceptRefusal>(people, async (trx, accounts) => {
    const taken = (await takeOperatorInvitation(trx, id, now)) ?? (await take(trx, accounts, id, now))
    const workspace = await workspaceOfId(trx, taken?.workspaceId)
    if (!taken || !workspace) return unknown
    const made = ready ? await insertPerson({ db: trx, by: 'themselves', now }, accounts, ready.value) : undefined
    if (made && !made.ok) return made
    const person = made?.value ?? who
    if (!person) return unknown
    const added = await insertMember(trx, accounts, { workspace, person, role: taken.role, by: person, now })
    if (!added.ok) return added
    return done({ slug: workspace.slug, person, made: made !== undefined })
  })
}

/**
 * Marks an invitation as used and returns it; undefined if it can no longer be used. If two people accept it at the
 * same time, only one of them succeeds.
 */
async function take(
  trx: Trx,
  { tables }: Accounts,
  id: string,
  now: number,
): Promise<{ workspaceId: string; role: Role } | undefined> {
  const where = [
    { field: 'id', value: id },
    { field: 'status', value: 'pending' },
  ]
  const row = await tables.findOne<Invitation>({ model, where })
  if (!row || !isOpen(row, now) || !(await isGood(trx, row))) return undefined
  const taken = await tables.updateMany({ model, where, update: { status: 'accepted' } })
  return taken === 1 ? { workspaceId: row.organizationId, role: asRole(row.role) } : undefined
}

/**
 * True if the person who made the invitation may still do so. The invitation is void while that person is not a member
 * of the workspace, is disabled, or has a lower role than the invitation grants. In a PostgreSQL transaction the person's membership
 * is locked until the transaction ends.
 */
async function isGood(db: Db, { organizationId, inviterId, role }: Invitation): Promise<boolean> {
  const row = db
    .selectFrom('member')
    .leftJoin('person_disabled', 'person_disabled.person_id', 'member.userId')
    .select('role')
    .where('workspaceId', '=', organizationId)
    .where('userId', '=', inviterId)
    .where('disabled_at', 'is', null)
  const inviter = await (isPostgres(db) && db.isTransaction ? row.forShare('member') : row).executeTakeFirst()
  return mayInvite(inviter?.role ?? null, role)
}

const mayInvite = (inviter: string | null, role: string): boolean =>
  inviter !== null && (asRole(inviter) === 'admin' || asRole(role) === 'member')

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

const isOpen = ({ status, expiresAt }: Invitation, now: number): boolean =>
  status === 'pending' && isAhead(new Date(expiresAt).getTime(), now, invitationLasts)

async function namesOf(db: Db, rows: readonly Pick<Invitation, 'inviterId'>[]): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map()
  const ids = rows.map(({ inviterId }) => inviterId)
  const people = await db.selectFrom('user').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(people.map(({ id, name }) => [id, name]))
}

const urlOf = ({ auth, config }: { auth: Auth; config: { baseUrl: string } }, id: string): string =>
  `${config.baseUrl}/invitation/${id}.${signatureOf(auth, id)}`

const signatureOf = (auth: Auth, id: string): string =>
  createHmac('sha256', auth.options.secret).update(`invitation ${id}`).digest('base64url')

/** The id of the invitation that a link names; undefined if this service has not signed the link. */
function idOf(auth: Auth, link: string): string | undefined {
  const [id = '', signature = ''] = link.split('.')
  const right = Buffer.from(signatureOf(auth, id))
  const given = Buffer.from(signature)
  return right.length === given.length && timingSafeEqual(right, given) ? id : undefined
}

const unknown = refuse(
  'invitation_unknown',
  'This invitation was revoked or used, has expired, or came from someone who may no longer invite people. Ask for a new one.',
)
