/**
 * Tests the operator's commands as processes, with the service stopped and running. `npm test` leaves this out.
 * packages/server/src/operator/commands.store.test.ts proves the same rules.
 */
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { AgentTrend, StateSpan } from '@svc/api'
import { ownMachineWords } from '@svc/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newServiceHome, populate, report } from '../../testing/service-process.ts'

const offering = {
  agent: { version: '1.2.0' },
  state: { level: 'ok', label: 'Reading' },
  controls: ['pause', 'run_now'],
  settings: { schema: [{ key: 'every', label: 'Minutes', type: 'number', min: 1, max: 60 }], values: { every: 5 } },
  runs: [{ id: 'r1', started: 1, log: 'work' }],
}

describe.each(['stopped', 'running'] as const)('while the service is %s', (state) => {
  test('channel test prints its result, and ends with 1 if the message was not taken', async () => {
    const home = await newServiceHome({ SVC_OUTBOUND_ALLOW: '127.0.0.1' })
    if (state === 'running') await home.start()
    let status = 500
    const receiver = createServer((_req, res) => void res.writeHead(status).end()).listen(0, '127.0.0.1')
    onTestFinished(() => void receiver.close().closeAllConnections())
    await once(receiver, 'listening')
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    await home.value(['channel', 'add', '@service', 'ops', '--kind', 'webhook', '--url', url])
    const refused = { code: 1, stdout: expect.stringMatching(/^The test was not taken: 500/), stderr: '' }
    expect(await home.runProgram(['channel', 'test', '@service/ops'])).toEqual(refused)
    const json = await home.runProgram(['channel', 'test', '@service/ops', '--json'])
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([1, { ok: false, status: 500 }])
    status = 204
    expect((await home.runProgram(['channel', 'test', '@service/ops'])).code).toBe(0)
  })

  test('people, workspaces, agents and products are made, listed and removed, and the activity shows it', async () => {
    const home = await newServiceHome()
    if (state === 'running') await home.start()
    const json = async (args: string[], input?: string) =>
      JSON.parse((await home.runProgram([...args, '--json'], input)).stdout)
    expect(await json(['workspace', 'create', 'north'])).toEqual({ slug: 'north', name: 'north' })
    expect(await home.value(['workspace', 'activate', 'north', 'svc'])).toMatchObject({ activated: true })
    expect(await home.value(['workspace', 'list'])).toEqual([
      { slug: 'north', name: 'north', members: 0, agents: 0, products: ['svc'] },
    ])

    const person = ['person', 'create', 'ada@example.org', '--name', 'Ada', '--workspace', 'north', '--role', 'admin']
    expect(await json(person, 'correct horse battery\n')).toMatchObject({ email: 'ada@example.org' })
    expect(await home.value(['person', 'list'])).toEqual([
      {
        id: expect.stringMatching(/^\w+$/),
        email: 'ada@example.org',
        emailConfirmed: false,
        emailOddity: null,
        name: 'Ada',
        disabled: false,
        operator: false,
        factors: [],
        oidc: false,
        workspaces: [{ slug: 'north', role: 'admin' }],
      },
    ])
    const { link } = await home.value<{ link: string }>(['link', 'ada@example.org'])
    expect(link).toMatch(new RegExp(`^${home.url}/link[?#]token=[\\w-]{43}$`))
    const claim = await home.value<{ link: string }>(['link', 'ada@example.org', '--claim'])
    expect(claim.link).toMatch(new RegExp(`^${home.url}/claim[?]token=[\\w-]{43}$`))
    expect(await home.value(['person', 'reset', 'ada@example.org'], 'another long one')).toEqual({
      email: 'ada@example.org',
      passkeys: 0,
      connected: false,
    })
    const { password } = await home.value<{ password: string }>(['person', 'reset', 'ada@example.org'])
    expect(password).toMatch(/^[\w-]{20}$/)

    const made = await home.value<{ token: string }>(['agent', 'create', 'north/mail'])
    expect(made.token).toMatch(/^svc_agt_[\w-]{43}$/)
    const { token } = await home.value<{ token: string }>(['agent', 'rotate', 'north/mail'])
    expect(token).toMatch(/^svc_agt_/)
    expect(token).not.toBe(made.token)
    expect(await home.value(['agent', 'list', 'north'])).toMatchObject([{ name: 'mail', seenAt: null }])
    expect(await home.value(['agent', 'show', 'north/mail'])).toMatchObject({
      name: 'mail',
      seenAt: null,
      report: null,
    })
    expect(await home.value(['command', 'list', 'north/mail'])).toEqual([])
    expect(await home.value(['log', 'list', 'north/mail'])).toEqual([])
    const day = 86_400_000
    const [before] = await home.value<StateSpan[]>(['history', 'states', 'north/mail', '--until', '2026-01-02'])
    expect(before).toMatchObject({ is: 'unknown', from: Date.UTC(2026, 0, 1), until: Date.UTC(2026, 0, 1) + day })
    expect(await home.value(['history', 'changes', 'north/mail', '--limit', '5'])).toEqual([])
    expect(await home.value(['history', 'fleet', 'north', '--at', '2026-01-02', '--level', 'bad'])).toEqual([])
    const trend = await home.value<AgentTrend>(['history', 'trend', 'north/mail', '--days', '400'])
    expect([trend.time.length, trend.time[0]?.unknown, trend.usage[399]]).toEqual([400, 86_400, null])
    const shown = await home.run(['history', 'states', 'north/mail', '--until', '2026-01-02'])
    expect(shown.stdout).toContain('2026-01-01 00:00:00Z  2026-01-02 00:00:00Z  unknown')
    expect(await home.value(['agent', 'delete', 'north/mail'])).toMatchObject({ deleted: true })
    expect(await home.value(['agent', 'list', 'north'])).toEqual([])

    const product = ['product', 'add', 'tasks', '--origin', 'https://tasks.example.org']
    expect(await home.value(product)).toMatchObject({ id: 'tasks', secret: expect.stringMatching(/^[\w-]{43}$/) })
    expect(await home.value(['product', 'list'])).toMatchObject([{ id: 'tasks', origin: 'https://tasks.example.org' }])
    expect(await home.value(['product', 'remove', 'tasks'])).toMatchObject({ removed: true })
    expect(await home.value(['workspace', 'deactivate', 'north', 'svc'])).toMatchObject({ activated: false })

    const audit = await home.value<{ action: string; actor: string; at: number }[]>(['audit', 'list', 'north'])
    expect(audit.map(({ action }) => action).toReversed()).toEqual([
      'workspace.created',
      'workspace.activated',
      'member.added',
      'agent.created',
      'agent.token_rotated',
      'agent.deleted',
      'workspace.deactivated',
    ])
    expect(new Set(audit.map(({ actor }) => actor))).toEqual(new Set(['operator']))
    const since = new Date((audit[0]?.at ?? 0) + 1).toISOString()
    expect(await home.value(['audit', 'list', 'north', '--since', since])).toEqual([])
  })

  test('a refused command exits with 1, one that is not understood with 2, and standard output stays empty', async () => {
    const home = await newServiceHome()
    if (state === 'running') await home.start()
    await home.value(['workspace', 'create', 'north'])
    const refused: [args: string[], says: string, input?: string][] = [
      [['workspace', 'create', 'north'], 'already a workspace'],
      [['workspace', 'create', 'No Slug'], 'lowercase letters'],
      [['agent', 'list', 'south'], `no workspace "south". The data folder is ${home.dataDir}.`],
      [['agent', 'show', 'north/nobody'], `no agent "nobody" in the workspace "north". The data folder is`],
      [['person', 'create', 'a@b.de', '--name', 'A'], 'password'],
      [['person', 'create', 'a@b.de', '--name', 'A'], '10 to 200 characters', 'short'],
      [['person', 'create', 'a@b.de', '--name', 'A'], '3,000 most common', 'basketball'],
      [['person', 'create', 'a@b.de', '--name', 'A', '--workspace', 'south'], 'no workspace', 'correct horse battery'],
      [['link', 'nobody@example.org'], 'no account'],
      [['log', 'show', '1'], 'no log'],
      [['product', 'add', 'svc', '--origin', 'https://a.example'], 'is this service'],
    ]
    type Run = typeof home.run
    const fails = async (run: Run, code: number, [args, says, input]: (typeof refused)[number]) => {
      const ran = await run([...args, '--json'], input)
      expect([args.join(' '), ran.code, ran.stdout]).toEqual([args.join(' '), code, ''])
      expect(ran.stderr).toContain(says)
    }
    const misused: typeof refused = [
      [['workspace', 'destroy'], 'unknown command'],
      [['workspace', 'create'], 'slug'],
      [['agent', 'show', 'north'], 'SLUG/NAME'],
      [['command', 'send', 'north/mail', 'dance'], 'must be one of'],
      [['command', 'send', 'north/mail', 'set'], 'KEY=JSON'],
      [['product', 'add', 'tasks'], '--origin'],
      [['audit', 'list', 'north', '--since', 'yesterday'], 'A time looks like'],
      [['agent', 'list', 'north', '--colour'], 'unknown option'],
      [['history', 'fleet', 'north'], 'at must be a time'],
      [['history', 'fleet', 'north', '--at', '2026-02-30'], 'at must be a time'],
      [['history', 'fleet', 'north', '--at', '9999999999'], 'at must not be in the future'],
      [['history', 'fleet', 'north', '--at', '2026-01-02', '--level', 'dreadful'], 'level must be one of'],
    ]
    // The test runs the program itself for one case of each exit code, and the other cases in its own process.
    const program: Run = (args, input) => home.runProgram(args, input)
    const here: Run = (args, input) => home.run(args, input)
    for (const [code, cases] of [
      [1, refused],
      [2, misused],
    ] as const)
      for (const [at, each] of cases.entries()) await fails(at === 0 ? program : here, code, each)
    expect(await home.value(['person', 'list'])).toEqual([]) // No refused command has left anything behind.
  })
})

test('people are added to workspaces and removed, and a workspace is given limits', async () => {
  const home = await newServiceHome()
  for (const slug of ['north', 'south']) await home.value(['workspace', 'create', slug])
  const create = ['person', 'create', 'ada@example.org', '--name', 'Ada', '--workspace']
  const odd = await home.run(['person', 'create', 'eve@example.org', '--name', 'E\u202evE'], 'correct horse battery')
  expect([odd.code, odd.stderr]).toEqual([1, expect.stringContaining('an invisible character, U+202E, after E')])
  expect(odd.stderr).not.toContain('\u202e')
  await home.value([...create, 'north', '--role', 'admin'], 'correct horse battery')
  const again = await home.run([...create, 'south', '--role', 'admin'], 'correct horse battery')
  expect(again.stderr).toContain('svc-server member add south ada@example.org --role admin')

  expect(await home.value(['member', 'add', 'south', 'Ada@example.org', '--role', 'admin'])).toEqual({
    workspace: 'south',
    email: 'ada@example.org',
    role: 'admin',
  })
  const ada = { email: 'ada@example.org', name: 'Ada', role: 'admin' }
  expect(await home.value(['member', 'list', 'south'])).toEqual([ada])
  expect((await home.run(['member', 'remove', 'north', ada.email])).stderr).toContain('needs an admin')
  await home.value(['person', 'create', 'bob@example.org', '--name', 'Bob'], 'correct horse battery')
  await home.value(['member', 'add', 'north', 'bob@example.org', '--role', 'admin'])
  expect(await home.value(['member', 'remove', 'north', ada.email])).toMatchObject({ removed: true })
  expect((await home.run(['member', 'remove', 'north', ada.email])).stderr).toContain('is not a member')

  const limits = {
    agents: { limit: 10_000, used: 0 },
    people: { limit: 200, used: 1 },
    bundles: { limit: 1e9, used: 0 },
  }
  expect(await home.value(['workspace', 'limit', 'north'])).toEqual({ slug: 'north', ...limits })
  const set = ['workspace', 'limit', 'north', '--agents', '0', '--bundles', '2.5GB']
  expect(await home.value(set)).toMatchObject({ agents: { limit: 0 }, bundles: { limit: 2.5e9 } })
  expect((await home.run(['agent', 'create', 'north/mail'])).stderr).toContain('may have 0 agents and has 0')
  expect((await home.run(['workspace', 'limit', 'north', '--bundles', 'much'])).code).toBe(2)
  expect(await home.value(['workspace', 'limit', 'north', '--agents', 'default'])).toMatchObject({
    agents: limits.agents,
  })
})

test("an agent's reports are shown, and a wish for it is in the next answer", async () => {
  const home = await newServiceHome()
  await home.start()
  const { token } = await populate(home)
  expect((await report(home.url, token, offering)).status).toBe(200)
  expect(await home.value(['agent', 'show', 'north/mail'])).toMatchObject({
    name: 'mail',
    seenAt: expect.any(Number),
    version: '1.2.0',
    report: { state: { level: 'ok', label: 'Reading' }, settings: { values: { every: 5 } }, runs: [{ id: 'r1' }] },
    runtime: null,
  })

  const send = (...words: string[]) =>
    home.value<{ id: string; made: boolean }>(['command', 'send', 'north/mail', ...words])
  const pause = await send('pause')
  expect(await send('pause')).toMatchObject({ id: pause.id, made: false })
  const set = await send('set', 'every=7')
  const log = await send('log', 'work')
  expect((await home.run(['command', 'send', 'north/mail', 'set', 'every=99'])).code).toBe(1)
  expect((await home.run(['command', 'send', 'north/mail', 'resume'])).stderr).toContain('does not offer "resume"')
  const answer = (await (await report(home.url, token, offering)).json()) as { commands: unknown }
  expect(answer.commands).toEqual([
    { id: pause.id, type: 'pause', payload: {} },
    { id: set.id, type: 'set', payload: { every: 7 } },
    { id: log.id, type: 'log', payload: { name: 'work' } },
  ])
  expect(await home.value(['command', 'list', 'north/mail'])).toMatchObject([
    { id: log.id, state: 'delivered', createdBy: 'operator' },
    { id: set.id, state: 'delivered', payload: { every: 7 } },
    { id: pause.id, state: 'delivered' },
  ])

  const text = `${'a line of work\n'.repeat(30_000)}the end`
  const uploaded = await fetch(`${home.url}/api/agent/v1/log`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ command: log.id, name: 'work', text }),
  })
  expect(uploaded.ok).toBe(true)
  const [kept] = await home.value<{ id: string; bytes: number }[]>(['log', 'list', 'north/mail'])
  expect(kept?.bytes).toBe(text.length)
  expect(await home.value(['log', 'show', kept?.id ?? ''])).toMatchObject({ name: 'work', text })
  expect((await home.runProgram(['log', 'show', kept?.id ?? ''])).stdout.trimEnd()).toBe(text)
})

test('the example commands of operator.md work when they are typed one after another', async () => {
  const document = readFileSync(join(import.meta.dirname, '../../../../docs/operator.md'), 'utf8')
  const [, example = ''] = /^## Commands\n.*?^```sh\n(.*?)^```$/ms.exec(document) ?? []
  const typed = [...example.matchAll(/^npx svc-server (.+?)(?: {2,}#.*)?$/gm)].map(([, line = '']) =>
    [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''),
  )
  expect(typed.length).toBeGreaterThan(5)
  const home = await newServiceHome()
  await home.start()
  for (const args of typed) {
    const { code, stderr } = await home.runProgram(args, args[1] === 'create' ? 'correct horse battery\n' : '')
    // Commands that print an address of the service note that only this machine reaches it.
    expect([args.join(' '), code, stderr.replace(`${ownMachineWords}\n`, '')]).toEqual([args.join(' '), 0, ''])
  }
})

test('simultaneous commands wait for each other when no service runs', async () => {
  const home = await newServiceHome()
  await home.value(['workspace', 'create', 'north'])
  const names = ['a', 'b', 'c', 'd']
  const made = await Promise.all(names.map((name) => home.runProgram(['agent', 'create', `north/${name}`])))
  expect(made.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect((await home.value<{ name: string }[]>(['agent', 'list', 'north'])).map(({ name }) => name)).toEqual(names)
})

test('a data folder with a long path works', async () => {
  const folder = 'a-folder-whose-name-is-longer-than-the-address-of-a-socket-can-be'
  const home = await newServiceHome({ SVC_LOG_LEVEL: 'info' })
  const long = join(home.folder, folder, folder)
  mkdirSync(long, { recursive: true })
  home.env.SVC_DATA_DIR = long
  const service = await home.start()
  await home.value(['workspace', 'create', 'north'])
  expect(service.log).toContain('operator ran a command')
})

test('help and version are answers, not errors', async () => {
  const home = await newServiceHome()
  const help = await home.runProgram(['--help'])
  expect([help.code, help.stderr]).toEqual([0, ''])
  for (const word of ['start', 'workspace', 'backup', 'restore', '--json']) expect(help.stdout).toContain(word)
  expect((await home.runProgram(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/)
  expect((await home.runProgram(['agent'])).code).toBe(2)
})
