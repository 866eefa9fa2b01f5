import { expect, test } from 'vitest'
import { quickPasswords } from '../../testing/quick-passwords.ts'
import { onEveryEngine } from '../../testing/stores.ts'
import { newTestWorkspace } from '../../testing/test-workspace.ts'
import { openAuth, warmUpAuth } from '../people/accounts/auth.ts'
import { listPeople } from '../people/accounts/store.ts'
import { commands } from './commands/all.ts'
import type { OperatorRequest, ServiceParts } from './shared/request.ts'
import { runOperatorCommand } from './socket/socket.ts'

const password = 'correct horse battery staple'

onEveryEngine('commands of the operator', (open) => {
  const start = async () => {
    const w = await newTestWorkspace(await open())
    const baseUrl = 'http://localhost'
    const auth = openAuth(w.store, {
      baseUrl,
      secret: 'a secret of more than thirty-two characters',
      passwords: quickPasswords,
    })
    await warmUpAuth(auth)
    const changed: string[] = []
    const live = {
      listChanged: (id: string) => changed.push(id),
      alertsChanged: () => {},
      changed: () => {},
      rightsChanged: async () => {},
    }
    const service = { store: w.store, auth, live, now: w.clock.now, config: { baseUrl } } as unknown as ServiceParts
    const run = (name: string, args: string[], more: Partial<OperatorRequest> = {}) =>
      runOperatorCommand(name, { args, options: {}, input: '', ...more }, service)
    /** The text that a command prints for a person. */
    const said = async (...call: Parameters<typeof run>) => {
      const outcome = await run(...call)
      if (!outcome.ok) return `${outcome.kind}: ${outcome.message}`
      return commands[call[0]]?.show(outcome.value)
    }
    const emails = async () => (await listPeople(w.store.db)).map(({ email }) => email)
    return { w, run, said, changed, emails }
  }

  test('an account is made in a workspace or in none, and the output says what was made', async () => {
    const { w, said, emails } = await start()
    const input = `${password}\n`
    const { slug } = w.workspace
    expect(await said('person create', ['bob@example.org'], { options: { name: 'Bob' }, input })).toBe(
      'Created the account of bob@example.org.',
    )
    const options = { name: 'Cy', workspace: slug, role: 'admin' }
    expect(await said('person create', ['cy@example.org'], { options, input })).toBe(
      `Created the account of cy@example.org, admin of ${slug}.`,
    )
    expect(await said('person list', [])).toMatch(new RegExp(`cy@example\\.org +no +Cy +- +- +${slug} \\(admin\\)`))
    expect(await said('person list', [])).toMatch(/bob@example\.org +no +Bob +- +- +-/)
    expect(await emails()).toEqual(expect.arrayContaining(['bob@example.org', 'cy@example.org']))
    expect(await said('person create', ['cy@example.org'], { options, input })).toMatch(
      `To give it the workspace: svc-server member add ${slug} cy@example.org --role admin`,
    )
  })

  test('an account that cannot be made completely is not made, and the message says why', async () => {
    const { said, emails } = await start()
    const before = await emails()
    const create = (more: Partial<OperatorRequest>) =>
      said('person create', ['dan@example.org'], { input: `${password}\n`, options: { name: 'Dan' }, ...more })
    expect(await create({ options: {} })).toMatch(/^misused: A person needs a name/)
    expect(await create({ options: { name: 'Dan', role: 'admin' } })).toMatch(/^misused: A role needs a workspace/)
    expect(await create({ input: '' })).toMatch(/^refused: A person needs a password/)
    expect(await create({ options: { name: 'Dan', workspace: 'nowhere', role: 'admin' } })).toMatch(
      /^refused: There is no workspace "nowhere"/,
    )
    expect(await emails()).toEqual(before)
  })

  test('a workspace has the given name, or otherwise its short name', async () => {
    const { said } = await start()
    expect(await said('workspace create', ['bakery'], { options: { name: 'The Bakery' } })).toMatch(
      /^Created the workspace bakery \(The Bakery\)\. /,
    )
    expect(await said('workspace create', ['cellar'])).toMatch(/^Created the workspace cellar \(cellar\)\. /)
  })

  test('a person is disabled, enabled, made an operator and deleted, and workspaces left without an admin are named', async () => {
    const { w, said, emails } = await start()
    const [email, { slug }] = ['ada@example.org', w.workspace]
    const needed = `Without an admin now: ${slug}. To make a member an admin: svc-server member role SLUG EMAIL admin`
    expect(await said('person disable', [email])).toBe(`${email} is disabled and signed out everywhere.\n${needed}`)
    expect(await said('link', [email])).toBe(
      `refused: The account of "${email}" is disabled. Enable it first: svc-server person enable EMAIL`,
    )
    expect(await said('person operator', [email, 'on'])).toBe(`${email} is now an operator.`)
    expect(await said('person list', [])).toMatch(/ada@example\.org +no +Ada +disabled, operator +/)
    expect(await said('person operator', [email, 'yes'])).toBe('misused: The second argument is on or off: got "yes".')
    expect(await said('person operator', [email, 'off'])).toBe(`${email} is no operator.`)
    expect(await said('person enable', [email])).toBe(`${email} can sign in.`)
    expect(await said('person list', [])).toMatch(/ada@example\.org +no +Ada +- +/)
    expect(await said('person delete', [email])).toBe(
      `misused: This deletes the account of ${email} with its memberships, personal channels and sessions. Nothing brings it back. Add --yes to do it.`,
    )
    expect(await emails()).toContain(email)
    expect(await said('person delete', [email], { options: { yes: true } })).toBe(
      `Deleted the account of ${email}.\n${needed}`,
    )
    expect(await emails()).not.toContain(email)
    for (const name of ['disable', 'enable', 'delete'])
      expect(await said(`person ${name}`, ['eve@example.org'])).toMatch(
        /^refused: There is no account of "eve@example.org"/,
      )
  })

  test('a member gets another role, and a workspace another name; the last admin stays one', async () => {
    const { w, said } = await start()
    const { slug } = w.workspace
    expect(await said('member role', [slug, 'ada@example.org', 'member'])).toMatch(/^refused: The workspace needs an/)
    expect(await said('member role', [slug, 'ada@example.org', 'owner'])).toMatch(/^misused: A role is admin or member/)
    expect(await said('member role', [slug, 'eve@example.org', 'admin'])).toMatch(
      `refused: eve@example.org is not a member of the workspace ${slug}.`,
    )
    const input = `${password}\n`
    await said('person create', ['bob@example.org'], { input, options: { name: 'Bob', workspace: slug } })
    expect(await said('member role', [slug, 'bob@example.org', 'admin'])).toBe(
      `bob@example.org now has the role admin in ${slug}.`,
    )
    expect(await said('member role', [slug, 'ada@example.org', 'member'])).toMatch('ada@example.org now has the role')
    expect(await said('workspace rename', [slug, 'The North'])).toBe(
      `The workspace ${slug} is now called The North. Its short name stays.`,
    )
    expect(await said('workspace rename', [slug, ' '])).toMatch(/^refused: A name must have 1 to 100/)
    expect(await said('workspace list', [])).toMatch(/The North/)
  })

  test('a workspace is deleted after a question that counts what goes, and the service remembers it', async () => {
    const { w, said } = await start()
    const { slug } = w.workspace
    const asked = `misused: This deletes the workspace ${slug} (${w.workspace.name}): 1 agent, 0 runs, 0 logs. 1 member will have no access. Nothing brings it back. Add --yes to do it.`
    expect(await said('workspace delete', [slug])).toBe(asked)
    expect(await said('workspace list', [])).toMatch(slug)
    expect(await said('workspace delete', [slug], { options: { yes: true } })).toBe(
      `Deleted the workspace ${slug}. Its agents are refused, and its data is being erased.`,
    )
    expect(await said('workspace list', [])).toBe('No workspaces yet.')
    expect(await said('agent list', [slug])).toMatch(/^refused: There is no workspace/)
    expect(await said('audit list', ['@service'])).toMatch(
      new RegExp(`operator +workspace.deleted +workspace ${slug} +\\{"name":"North","agents":1,"people":1\\}`),
    )
    expect(await said('workspace create', [slug])).toMatch(/^Created the workspace/)
  })

  test('the activity is listed by person, kind and words, as its page lists it', async () => {
    const { w, said } = await start()
    const { slug } = w.workspace
    await said('agent create', [`${slug}/disk-1`])
    await said('agent create', [`${slug}/disk-10`])
    await said('agent rotate', [`${slug}/disk-1`])
    const lines = async (options: OperatorRequest['options']) =>
      (await said('audit list', [slug], { options }))?.split('\n').filter((line) => line.includes('disk')).length
    expect(await lines({})).toBe(3)
    expect(await lines({ kind: 'agent' })).toBe(3)
    expect(await lines({ kind: 'agent.created' })).toBe(2)
    expect(await lines({ kind: 'agent.created', text: 'DISK-10 created' })).toBe(1)
    expect(await lines({ by: 'operator', text: 'rotated' })).toBe(1)
    expect(await lines({ by: 'Ada' })).toBe(0)
    expect(await lines({ kind: 'log, agent.created ' })).toBe(2)
    expect(await said('audit list', [slug], { options: { kind: 'agent.created, Log' } })).toMatch(
      /^misused: --kind is one or more kinds/,
    )
  })

  test('a link signs in or hands an account over, as requested; a generated password is shown, a given one is not', async () => {
    const { said } = await start()
    await said('person create', ['bob@example.org'], { options: { name: 'Bob' }, input: `${password}\n` })
    expect(await said('link', ['bob@example.org'])).toMatch(/^http:\/\/localhost\/link\?token=/)
    expect(await said('link', ['bob@example.org'], { options: { claim: true } })).toMatch(
      /^http:\/\/localhost\/claim\?token=/,
    )
    const reset = 'bob@example.org has a new password and is signed out everywhere.'
    expect(await said('person reset', ['bob@example.org'], { input: 'another good long password\n' })).toBe(reset)
    expect(await said('person reset', ['bob@example.org'])).toMatch(
      new RegExp(`^${reset}\nThe password, shown this once: [\\w-]{20}$`),
    )
  })

  test('the link for the first account takes no address, and is refused once somebody has an account', async () => {
    const { w, said } = await start()
    const link = (args: string[], options: OperatorRequest['options'] = { first: true }) =>
      said('link', args, { options })
    await w.store.db.deleteFrom('user').execute()
    for (const options of [{ first: true }, {}])
      expect(await link([], options)).toMatch(/^http:\/\/localhost\/start\?token=/)
    const both = 'misused: --first takes neither an address nor --claim: svc-server link --first'
    expect(await link(['bob@example.org'])).toBe(both)
    expect(await link([], { first: true, claim: true })).toBe(both)

    await said('person create', ['bob@example.org'], { options: { name: 'Bob' }, input: `${password}\n` })
    expect(await link([])).toBe('refused: Somebody has an account already. To sign a person in: svc-server link EMAIL')
    expect(await link([], {})).toBe('misused: Name the person: svc-server link EMAIL')
    expect(await link(['bob@example.org'])).toBe(both)
  })

  test('a full workspace accepts nobody else, and no account is left behind', async () => {
    const { w, said, emails } = await start()
    const { slug } = w.workspace
    const create = (email: string) =>
      said('person create', [email], { input: `${password}\n`, options: { name: 'Dan', workspace: slug } })
    expect(await create('dan@example.org')).toBe(`Created the account of dan@example.org, member of ${slug}.`)
    expect(await said('workspace limit', [slug], { options: { people: '1' } })).toMatch(
      /^Members and open invitations +\d+ +1$/m,
    )
    const before = await emails()
    expect(await create('eve@example.org')).toMatch(/^refused: The workspace may have 1 members/)
    expect(await emails()).toEqual(before)
  })

  test('a workspace is activated for a product and deactivated again; open pages are notified, and the output names both', async () => {
    const { w, said, changed } = await start()
    const { id, slug } = w.workspace
    expect(await said('workspace deactivate', [slug, 'svc'])).toMatch(
      `The workspace ${slug} is no longer activated for svc.`,
    )
    expect(await said('workspace activate', [slug, 'svc'])).toBe(`The workspace ${slug} is activated for svc.`)
    expect(changed).toEqual([id, id])
    expect(await said('workspace activate', [slug, 'nothing'])).toMatch(/^refused: There is no product "nothing"/)
    expect(await said('workspace activate', ['nowhere', 'svc'])).toMatch(/^refused: There is no workspace "nowhere"/)
    expect(changed).toEqual([id, id])
  })

  test('what was pasted around an identifier is removed, and refused inside it', async () => {
    const { w, said } = await start()
    const { slug } = w.workspace
    expect(await said('member list', [`\u200b${slug}\u2060`])).toBe(await said('member list', [slug]))
    expect(await said('member list', [`${slug.slice(0, 2)}\u00ad${slug.slice(2)}`])).toContain(
      `The argument holds an invisible character, U+00AD, after ${slug.slice(0, 2)}`,
    )
    const input = `${password}\n`
    await said('person create', ['Ju\u0308rgen@Example.org\u200b'], { input, options: { name: 'Jürgen' } })
    expect(await said('member add', [slug, 'JÜRGEN@example.org'])).toContain('jürgen@example.org is now a member')
    expect(await said('person reset', ['bo\u200bb@example.org'], { input })).toContain('U+200B, after bo')
  })

  test('an account whose address could not be stored today is marked, and commands find it as it is stored', async () => {
    const { w, run, said } = await start()
    const input = `${password}\n`
    await said('person create', ['bob@example.org'], { input, options: { name: 'Bob' } })
    const email = 'bob@example.org\u200b'
    await w.store.db.updateTable('user').set({ email }).where('name', '=', 'Bob').execute()
    const why = 'holds an invisible character, U+200B, after bob@example.org'
    expect(await said('person list', [])).toContain(`(${why})`)
    const listed = (await run('person list', [])) as { value?: object[] }
    expect(listed.value).toContainEqual(expect.objectContaining({ email, emailOddity: why }))
    expect(await said('person reset', [email], { input })).toContain('has a new password')
    expect(await said('person create', ['bob@example.org'], { input, options: { name: 'B' } })).toContain(why)
  })

  test.each([
    ['person reset', [], { input: `${password}\n` }],
    ['person disable', [], {}],
    ['person enable', [], {}],
    ['person operator', [], {}, ['on']],
    ['link', [], {}],
    ['member add', ['SLUG'], {}],
    ['member role', ['SLUG'], {}, ['admin']],
    ['member remove', ['SLUG'], {}],
    ['member invite', ['SLUG'], {}],
    ['person delete', [], { options: { yes: true } }],
  ] as [string, string[], object, string[]?][])(
    '%s takes the id of an account',
    async (name, first, more, last = []) => {
      const { w, run, said } = await start()
      const { slug } = w.workspace
      await said('person create', ['bob@example.org'], { input: `${password}\n`, options: { name: 'Bob' } })
      if (/role|remove/.test(name)) await said('member add', [slug, 'bob@example.org'])
      const email = 'bo\u200bb@example.org'
      await w.store.db.updateTable('user').set({ email }).where('name', '=', 'Bob').execute()
      expect(await said('person list', [])).toContain('bo\\u{200b}b@example.org')
      const { id } = await w.store.db
        .selectFrom('user')
        .select('id')
        .where('name', '=', 'Bob')
        .executeTakeFirstOrThrow()
      // A pasted id may have spaces and invisible characters around it.
      const args = [...first.map(() => slug), ` ${id}\u200b`, ...last]
      expect([name, await run(name, args, more)]).toMatchObject([name, { ok: true }])
    },
  )
})
