import { randomBytes } from 'node:crypto'
import type { Role } from '@svc/api'
import { emailOddity, hiddenCharacterIn, shown } from '@svc/protocol'
import type { Person } from '../../people/accounts/store.ts'
import { defineCommand } from '../shared/command.ts'
import {
  asOperator,
  grantedToOperator,
  operator,
  option,
  RefusedError,
  rawArgument,
  rawOption,
  requireYes,
  roleOption,
  UsageError,
  yesOption,
} from '../shared/request.ts'
import { oneSafeLine, tableText } from '../shared/show.ts'

const email: [string, string] = ['<email>', 'with which the person signs in, or the id of the account (person list)']

/** An address in the form in which the terminal may show it: invisible characters are replaced by their numbers. */
const escaped = (email: string): string =>
  [...email].map((sign) => (hiddenCharacterIn(sign) ? `\\u{${sign.codePointAt(0)?.toString(16)}}` : sign)).join('')

export const personCommands = {
  'person create': defineCommand({
    says: 'create an account; the password is the first line of standard input, or asked for',
    args: [email],
    options: [
      ['--name <name>', "the person's name"],
      ['--workspace <slug>', 'make them a member of this workspace'],
      ['--role <role>', 'admin or member (default: member)'],
    ],
    input: 'Password',
    run: async (call) => {
      const { decideWithAccounts: decide } = await import('../../people/accounts/library.ts')
      const { insertPerson, prepareNewPerson } = await import('../../people/accounts/store.ts')
      const { checkRoomFor } = await import('../../people/workspaces/limits.ts')
      const { findWorkspace, insertMember, unknownWorkspace } = await import('../../people/workspaces/store.ts')
      demandPasswords(call)
      const slug = option(call, 'workspace')
      const role = roleOption(option(call, 'role'))
      const name = rawOption(call, 'name')
      if (name === undefined) throw new UsageError('A person needs a name: --name NAME')
      if (slug === undefined && option(call, 'role') !== undefined)
        throw new UsageError('A role needs a workspace: --workspace SLUG')
      const password = passwordIn(call.input)
      if (password === '') throw new RefusedError('A person needs a password: give it on standard input.')
      const person = { email: rawArgument(call, 0), name, password }
      const ready = grantedToOperator(await prepareNewPerson(call, person))
      const made = await decide<Person, string>(call, async (trx, accounts) => {
        const ctx = { db: trx, by: operator, now: call.now() }
        const inserted = await insertPerson(ctx, accounts, ready)
        if (slug === undefined) return inserted
        const workspace = await findWorkspace(trx, slug)
        if (!workspace) return unknownWorkspace(slug)
        if (!inserted.ok) return existing(inserted, { slug, email: person.email, role })
        const room = await checkRoomFor(trx, workspace, { kind: 'people' }, ctx.now)
        if (!room.ok) return room
        const member = { workspace, person: inserted.value, role, by: operator, now: ctx.now }
        const added = await insertMember(trx, accounts, member)
        return added.ok ? inserted : added
      })
      const { email, name: called } = grantedToOperator(made)
      return { email, name: called, workspace: slug ?? null, role: slug === undefined ? null : role }
    },
    show: ({ email, workspace, role }) =>
      `Created the account of ${oneSafeLine(email)}${workspace === null ? '' : `, ${role} of ${workspace}`}.`,
  }),
  'person list': defineCommand({
    says: 'list everyone who has an account',
    run: async ({ config, store }) => {
      const { listPeople } = await import('../../people/accounts/store.ts')
      const { factorsHeld, factorKindsOf } = await import('../../people/factors/held.ts')
      const members = await store.db
        .selectFrom('member')
        .innerJoin('workspace', 'workspace.id', 'member.workspaceId')
        .select(['member.userId', 'member.role', 'workspace.slug'])
        .orderBy('workspace.slug')
        .execute()
      const idsIn = async (table: 'email_confirmation' | 'person_disabled' | 'person_operator') =>
        new Set((await store.db.selectFrom(table).select('person_id').execute()).map((row) => row.person_id))
      const [confirmed, disabled, operators] = [
        await idsIn('email_confirmation'),
        await idsIn('person_disabled'),
        await idsIn('person_operator'),
      ]
      const held = await factorsHeld(store.db, config, 'everybody')
      return (await listPeople(store.db)).map(({ id, email, name }) => ({
        id,
        email,
        emailOddity: emailOddity(email) ?? null,
        emailConfirmed: confirmed.has(id),
        name,
        disabled: disabled.has(id),
        operator: operators.has(id),
        factors: factorKindsOf(held.get(id)),
        oidc: typeof held.get(id)?.connectedAt === 'number',
        workspaces: members.filter((m) => m.userId === id).map(({ slug, role }) => ({ slug, role })),
      }))
    },
    show: (all) =>
      tableText(
        ['E-MAIL', 'CONFIRMED', 'NAME', 'ACCOUNT', 'FACTORS', 'WORKSPACES'],
        all.map((p) => [
          p.emailOddity === null ? p.email : `${escaped(p.email)} (${p.emailOddity}), id ${p.id}`,
          p.emailConfirmed ? 'yes' : 'no',
          p.name,
          [p.disabled && 'disabled', p.operator && 'operator'].filter(Boolean).join(', ') || '-',
          [...p.factors, ...(p.oidc ? ['provider'] : [])].join(', ') || '-',
          p.workspaces.map((w) => `${w.slug} (${w.role})`).join(', ') || '-',
        ]),
        'Nobody has an account yet.',
      ),
  }),
  'person disable': defineCommand({
    says: 'disable an account: all sessions end, and nobody can sign in to it; memberships are kept',
    args: [email],
    run: async (call) => {
      const { disablePerson } = await import('../../people/workspaces/people.ts')
      const disabled = grantedToOperator(await disablePerson(asOperator(call), rawArgument(call, 0)))
      await call.live.rightsChanged()
      return { email: disabled.email, disabled: true, withoutAdmin: disabled.withoutAdmin }
    },
    show: ({ email, withoutAdmin }) =>
      [`${oneSafeLine(email)} is disabled and signed out everywhere.`, ...adminNeeded(withoutAdmin)].join('\n'),
  }),
  'person enable': defineCommand({
    says: 'enable an account that was disabled, with its memberships as they were',
    args: [email],
    run: async (call) => {
      const { enablePerson } = await import('../../people/workspaces/people.ts')
      const { email } = grantedToOperator(await enablePerson(asOperator(call), rawArgument(call, 0)))
      return { email, disabled: false }
    },
    show: ({ email }) => `${oneSafeLine(email)} can sign in.`,
  }),
  'person delete': defineCommand({
    says: 'delete an account; the activity keeps the name',
    args: [email],
    options: [yesOption],
    run: async (call) => {
      const { findNamed, unknownPerson } = await import('../../people/accounts/store.ts')
      const { deletePerson } = await import('../../people/workspaces/people.ts')
      const typed = rawArgument(call, 0)
      const person = await findNamed(call.store.db, typed)
      if (!person) return grantedToOperator<never>(unknownPerson(typed))
      requireYes(
        call,
        `This deletes the account of ${oneSafeLine(person.email)} with its memberships, personal channels and sessions.`,
      )
      const { factorsOfPerson } = await import('../../people/factors/held.ts')
      const { connectedAt } = await factorsOfPerson(call.store.db, call.config, person.id)
      const deleted = grantedToOperator(await deletePerson(asOperator(call), typed))
      await call.live.rightsChanged()
      return {
        email: deleted.email,
        deleted: true,
        withoutAdmin: deleted.withoutAdmin,
        comesBack: connectedAt !== null,
      }
    },
    show: ({ email, withoutAdmin, comesBack }) =>
      [
        `Deleted the account of ${oneSafeLine(email)}.`,
        ...(comesBack
          ? [
              'The sign-in provider still lets this person in, who then gets a new account. To keep somebody out, remove them there, or use person disable instead.',
            ]
          : []),
        ...adminNeeded(withoutAdmin),
      ].join('\n'),
  }),
  'person operator': defineCommand({
    says: 'note that a person is an operator of this service, as person list shows, or take that away',
    args: [email, ['<on|off>', 'on, or off']],
    run: async (call) => {
      const { setOperator } = await import('../../people/workspaces/people.ts')
      const typed = rawArgument(call, 1)
      if (typed !== 'on' && typed !== 'off')
        throw new UsageError(`The second argument is on or off: got ${shown(typed)}.`)
      const { email } = grantedToOperator(await setOperator(asOperator(call), rawArgument(call, 0), typed === 'on'))
      return { email, operator: typed === 'on' }
    },
    show: ({ email, operator }) => `${oneSafeLine(email)} is ${operator ? 'now an operator' : 'no operator'}.`,
  }),
  'person reset': defineCommand({
    says: 'set a new password, from standard input (empty: one is generated and shown), and end all sessions; second factors stay',
    args: [email],
    input: 'New password (empty: one is generated)',
    run: async (call) => {
      const { resetPassword } = await import('../../people/accounts/store.ts')
      demandPasswords(call)
      const given = passwordIn(call.input)
      const password = given || randomBytes(15).toString('base64url')
      const wanted = { email: rawArgument(call, 0), password }
      const person = grantedToOperator(await resetPassword(asOperator(call), wanted))
      const { factorsOfPerson } = await import('../../people/factors/held.ts')
      const { passkeys, connectedAt } = await factorsOfPerson(call.store.db, call.config, person.id)
      return { email: person.email, passkeys, connected: connectedAt !== null, ...(given === '' && { password }) }
    },
    show: ({ email, passkeys, connected, password }) =>
      [
        `${oneSafeLine(email)} has a new password and is signed out everywhere.`,
        ...(passkeys === 0 ? [] : ['Passkeys stay, and still sign in. To remove them: person reset-factor EMAIL']),
        ...(connected ? [connectionStays] : []),
        ...(password === undefined ? [] : [`The password, shown this once: ${password}`]),
      ].join('\n'),
  }),
  'person reset-factor': defineCommand({
    says: 'remove the authenticator app, the recovery codes and the passkeys of a person who lost them, and end all sessions',
    args: [email],
    options: [['--provider', 'also end the connection with the sign-in provider, if somebody else connected it']],
    run: async (call) => {
      const { resetFactor } = await import('../../people/accounts/factors.ts')
      const { factorsOfPerson } = await import('../../people/factors/held.ts')
      const provider = call.options.provider === true
      const person = grantedToOperator(await resetFactor(asOperator(call), rawArgument(call, 0), { provider }))
      const { connectedAt } = await factorsOfPerson(call.store.db, call.config, person.id)
      return { email: person.email, factors: [], connected: connectedAt !== null }
    },
    show: ({ email, connected }) =>
      [
        `${oneSafeLine(email)} has no second factor any longer and is signed out everywhere. The password stays.`,
        ...(connected ? [connectionStays] : []),
      ].join('\n'),
  }),
  link: defineCommand({
    says: 'a link that signs a person in, once, within 15 minutes',
    args: [['[email]', 'with which the person signs in; nothing: the link for the first account, while there is none']],
    options: [
      ['--first', 'a new link for the first account, while nobody has one; earlier ones stop working'],
      [
        '--claim',
        'hand the account to the owner of its address, once, within a day: new password, all sessions end, second factors and the connection with the sign-in provider are removed',
      ],
    ],
    run: async (call) => {
      const { createLink, linkUrl } = await import('../../people/accounts/links.ts')
      const { hasNoAccounts } = await import('../../people/accounts/store.ts')
      const { db } = call.store
      const { first, claim } = call.options
      const address = call.args[0] === undefined ? null : rawArgument(call, 0)
      if (first === true) {
        if (address !== null || claim === true)
          throw new UsageError('--first takes neither an address nor --claim: svc-server link --first')
        if (!(await hasNoAccounts(db)))
          throw new RefusedError('Somebody has an account already. To sign a person in: svc-server link EMAIL')
      } else if (address === null && (claim === true || !(await hasNoAccounts(db))))
        throw new UsageError('Name the person: svc-server link EMAIL')
      if (claim === true) demandPasswords(call)
      const purpose = address === null ? 'first' : claim === true ? 'claim' : 'sign_in'
      const token = grantedToOperator(await createLink(asOperator(call), purpose, address))
      return { link: linkUrl(call.config.baseUrl, purpose, token) }
    },
    show: ({ link }) => link,
  }),
}

const connectionStays =
  'The connection with the sign-in provider stays, and still signs in. To end it: person reset-factor EMAIL --provider'

/** Throws where people sign in only through the provider, since a password would be of no use. */
function demandPasswords({ config }: { config: { oidc?: { only: boolean } | undefined } }): void {
  if (config.oidc?.only)
    throw new RefusedError(
      'SVC_OIDC_ONLY is on, so nobody signs in with a password. To sign a person in: svc-server link EMAIL',
    )
}

/** Names the workspaces that are left without an admin, if there are any. */
const adminNeeded = (slugs: readonly string[]): string[] =>
  slugs.length === 0
    ? []
    : [`Without an admin now: ${slugs.join(', ')}. To make a member an admin: svc-server member role SLUG EMAIL admin`]

/**
 * The password in the input of a command: its first line without the line end, so that `echo`, a file and a terminal
 * all work.
 */
const passwordIn = (input: string): string => input.split(/\r?\n/, 1)[0] ?? ''

/**
 * The refusal for somebody who already has an account. Its message names the command that adds this person to the
 * workspace.
 */
const existing = (refused: { code: string }, { slug, email, role }: { slug: string; email: string; role: Role }) => ({
  ok: false as const,
  code: refused.code,
  message: `There is already an account for ${shown(email)}. To give it the workspace: svc-server member add ${slug} ${oneSafeLine(email)} --role ${role}`,
})
