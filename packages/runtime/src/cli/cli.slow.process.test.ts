/**
 * Runs the commands of `svc` as people and scripts do, and checks what they print, what they leave on disk, and how
 * they exit. `npm test` leaves this out. packages/runtime/src/cli/program.test.ts proves the same rules.
 */
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { agentFolder, type RunOptions, svc, token } from '../../testing/folder.ts'
import { answer, command, json, type Service, startService } from '../../testing/service.ts'

const folder = (...args: Parameters<typeof agentFolder>) => {
  const made = agentFolder(...args)
  afterThisTest(() => made.remove())
  return made
}
const service = async (): Promise<Service> => {
  const started = await startService()
  afterThisTest(() => started.close())
  return started
}
const offline = 'http://127.0.0.1:9'
const python = (() => {
  try {
    execFileSync('python3', ['-c', 'import pty'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
const status = { state: { level: 'warn', label: 'Waiting', detail: 'for mail' }, active: [{ kind: 'triage' }] }

describe('svc connect', () => {
  const connect = (of: ReturnType<typeof agentFolder>, origin: string, options: RunOptions = {}, ...more: string[]) =>
    svc(of, ['connect', '--url', origin, ...more], options)

  test('tries the token with a real report and writes it readable only by its owner', async () => {
    const good = await service()
    const of = folder()
    const ran = await connect(of, good.origin, { input: `${token}\n` }, '--json')
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(ran.out)).toEqual({
      connected: true,
      url: good.origin,
      agent: 'mail-triage',
      version: '1.4.0',
      tested: true,
      wroteManifest: false,
      wroteStatus: false,
    })
    expect(readFileSync(of.env, 'utf8')).toBe(`SVC_URL=${good.origin}\nSVC_TOKEN=${token}\n`)
    expect(statSync(of.env).mode & 0o777).toBe(0o600)
    expect(good.reports.map((r) => r.token)).toEqual([token])
    expect(JSON.parse(readFileSync(of.settings, 'utf8'))).toEqual({ every: 10, tone: 'calm', note: null })
  })

  test('waits for a program that writes the token late', async () => {
    const ran = await connect(folder(), (await service()).origin, { input: `${token}\n`, inputLate: true })
    expect(ran).toMatchObject({ code: 0, err: '' })
  })

  test('takes the token from a file or the environment, too', async () => {
    const good = await service()
    const of = folder({ 'token.txt': `${token}\n` })
    expect((await connect(of, good.origin, {}, '--token-file', 'token.txt')).code).toBe(0)
    expect((await connect(of, good.origin, { env: { SVC_TOKEN: token } })).code).toBe(0)
  })

  test('--token-file - takes the token from the paste, whatever the environment holds', async () => {
    const good = await service()
    const of = folder()
    const line = ['--token-file', '-']
    const ran = await connect(of, good.origin, { input: `${token}\n`, env: { SVC_TOKEN: 'svc_agt_other' } }, ...line)
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(good.reports.map((report) => report.token)).toEqual([token])
    const none = await connect(of, good.origin, { input: '', env: { SVC_TOKEN: token } }, ...line)
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('No token was given') })
  })

  test.runIf(python).each([[], ['--token-file', '-']])(
    'asks for it at a terminal, without showing it (I29)',
    async (...more) => {
      const good = await service()
      // `svc connect` also asks whether to write a first status file, unless there is one. The status file here leaves
      // only the question for the token.
      const of = folder({ 'state/status.json': '{"state": {"level": "ok"}}' })
      const args = [
        'testing/terminal.py',
        'not shown',
        token,
        process.execPath,
        'src/main.ts',
        'connect',
        '--dir',
        of.root,
        '--url',
        good.origin,
        ...more,
      ]
      const here = fileURLToPath(new URL('../..', import.meta.url))
      const shown = await new Promise<string>((resolve) =>
        execFile('python3', args, { cwd: here }, (_error, out) => resolve(out)),
      )
      expect(shown).toContain('accepted a report of mail-triage 1.4.0')
      expect(shown).not.toContain('AAA')
      expect(readFileSync(of.env, 'utf8')).toContain(`SVC_TOKEN=${token}\n`)
    },
  )

  test.runIf(python)('a text that is pasted at the wrong question answers nothing and is not shown', async () => {
    const good = await service()
    const of = folder()
    rmSync(join(of.root, 'svc.agent.yaml'))
    const answers = [
      ['not shown', token],
      ['Write a small one', `svc_agt_${'n'.repeat(43)}`],
      ['type yes or no', 'y'],
      ['Write a first one', 'no'],
    ]
    const here = fileURLToPath(new URL('../..', import.meta.url))
    const args = ['connect', '--dir', of.root, '--url', good.origin]
    const all = ['testing/answers.py', JSON.stringify(answers), process.execPath, 'src/main.ts', ...args]
    const shown = await new Promise<string>((resolve) =>
      execFile('python3', all, { cwd: here }, (_error, out) => resolve(out)),
    )
    expect(shown).toContain('accepted a report')
    expect(shown).toContain('service install --start')
    expect(shown).not.toContain('nnnn')
  })

  test('never takes a token as an argument', async () => {
    const ran = await connect(folder(), offline, {}, '--token', token)
    expect(ran.code).toBe(2)
    expect(ran.out).toBe('')
  })

  test('keeps the other variables of agent.env', async () => {
    const good = await service()
    const of = folder({ '.svc/agent.env': 'SVC_BINDING_TASKS_TOKEN=abc\nSVC_TOKEN=old\n' })
    await connect(of, good.origin, { input: token })
    expect(readFileSync(of.env, 'utf8')).toBe(
      `SVC_BINDING_TASKS_TOKEN=abc\nSVC_TOKEN=${token}\nSVC_URL=${good.origin}\n`,
    )
  })

  test('writes a small manifest when asked, named after the folder', async () => {
    const good = await service()
    const parent = folder()
    const root = join(parent.root, 'My Agent_2')
    mkdirSync(root)
    const ran = await svc({ ...parent, root }, ['connect', '--url', good.origin, '--yes'], { input: token })
    expect(ran.code).toBe(0)
    expect(readFileSync(join(root, 'svc.agent.yaml'), 'utf8')).toContain('name: my-agent-2\n')
    expect((await svc({ ...parent, root }, ['why'])).code).toBe(0)
  })

  test.each([
    ['no token', '', 2, 'No token was given'],
    ['a text that is not a token', 'hunter2', 2, 'That is not an agent token'],
  ])('refuses %s, and does not repeat it', async (_what, input, code, says) => {
    const of = folder()
    const ran = await connect(of, offline, { input })
    expect(ran.code).toBe(code)
    expect(ran.err).toContain(says)
    if (input) expect(ran.err).not.toContain(input)
  })

  test.each([
    [
      'an unknown token',
      json({ error: { code: 'token_unknown', message: 'A valid agent token is needed.' } }, 401),
      1,
      'does not know this token',
    ],
    [
      'an inactive workspace',
      json({ error: { code: 'workspace_inactive', message: 'The workspace is not activated for this service.' } }, 403),
      1,
      'not activated for this service. Nothing was written.',
    ],
    ['another program at the address', json('hello'), 1, 'not one of this protocol'],
  ])('writes nothing on %s', async (_what, reply, code, says) => {
    const bad = await service()
    bad.usual = reply
    const of = folder()
    const ran = await connect(of, bad.origin, { input: token })
    expect(ran).toMatchObject({ code, out: '' })
    expect(ran.err).toContain(says)
    expect(statSync(of.env, { throwIfNoEntry: false })).toBeUndefined()
  })

  test('exits with 3 if the service cannot be reached, and writes nothing', async () => {
    const of = folder()
    const ran = await connect(of, offline, { input: token })
    expect(ran.code).toBe(3)
    expect(statSync(of.env, { throwIfNoEntry: false })).toBeUndefined()
    expect((await connect(of, offline, { input: token }, '--no-test')).code).toBe(0)
  })

  test.each(['svc.example.com', 'ftp://x', 'https://u:p@x', 'https://x/path'])(
    'refuses the address %s',
    async (url) => {
      expect((await connect(folder(), url, { input: token })).code).toBe(2)
    },
  )
})

test('svc report --once sends one report, obeys its answer, and delivers the acks', async () => {
  const good = await service()
  good.next.push(answer(command('1', 'pause')))
  const of = folder({}, good.origin)
  const ran = await svc(of, ['report', '--once', '--json'])
  expect(JSON.parse(ran.out)).toMatchObject({ ok: true, handled: [{ id: '1', type: 'pause', ok: true }] })
  expect(good.reports[1]?.report.acks).toEqual([{ id: '1', ok: true, message: 'Paused.' }])
  await good.close()
  expect((await svc(of, ['report', '--once'])).code).toBe(3)
})

test('everything else works without the service', async () => {
  const of = folder({ 'state/status.json': JSON.stringify(status), 'state/work.log': 'one\ntwo\nthree\n' }, offline)
  const runs = async (...args: string[]) => {
    const ran = await svc(of, args)
    expect(ran.err, args.join(' ')).toBe('')
    expect(ran.code, args.join(' ')).toBe(0)
    return ran.out
  }
  expect(await runs('set', 'every=30', 'tone=brisk')).toBe('Set every = 30, tone = "brisk".\n')
  expect(JSON.parse(await runs('settings', '--json'))).toMatchObject([
    { key: 'every', value: 30, set: { by: 'machine' } },
    { key: 'tone', value: 'brisk' },
    { key: 'note', value: null },
  ])
  expect(await runs('settings')).toContain('1 to 120')
  expect(await runs('run-now')).toBe('Asked to run now.\n')
  expect(await runs('run-now')).toContain('Already asked')
  expect(await runs('pause')).toBe('Paused.\n')
  expect(await runs('pause')).toContain('Already paused since')
  expect(await runs('why')).toMatch(
    /^mail-triage has been paused since .* UTC, on this machine by .*"svc resume" ends it\./,
  )
  expect(JSON.parse(await runs('status', '--json'))).toMatchObject({
    paused: true,
    state: status.state,
    version: '1.4.0',
  })
  expect(await runs('resume')).toBe('Resumed.\n')
  expect(await runs('why')).toContain('It was resumed')
  expect(await runs('status')).toContain('Waiting (warn): for mail')
  expect(await runs('logs')).toContain('state/work.log')
  expect(await runs('logs', 'work', '-n', '2')).toBe('two\nthree\n')
  expect(await runs('account', 'set', '--org', 'Example', '--plan', 'team')).toBe('org: Example\nplan: team\n')
  expect(JSON.parse(await runs('account', 'show', '--json'))).toEqual({ org: 'Example', plan: 'team' })
  expect(await runs('account', 'clear')).toContain('no longer name an account')
})

test('a pause file made by hand is explained as such', async () => {
  const of = folder({ '.svc/paused': '' })
  expect((await svc(of, ['why'])).out).toContain('someone created .svc/paused by hand')
  expect((await svc(of, ['resume'])).out).toBe('Resumed.\n')
})

test.each([
  ['set', ['set', 'every=500'], 1, 'Minutes must be between 1 and 120: got 500.\n'],
  ['one wrong value of two', ['set', 'tone=brisk', 'every=soon'], 1, 'Minutes must be a number: got "soon".\n'],
  ['clearing a default', ['set', 'every='], 1, 'Minutes cannot be cleared: it has the default 10.\n'],
  ['an unknown log', ['logs', 'other'], 1, 'There is no such log.\n'],
  ['an outbox before any report', ['outbox'], 1, 'Nothing has been reported from this folder yet.\n'],
  [
    'a report without a connection',
    ['report', '--once'],
    1,
    'names no service to report to; run "svc connect --url …" first.\n',
  ],
])('%s is refused in one sentence', async (_what, args, code, says) => {
  const of = folder()
  const ran = await svc(of, args)
  expect(ran).toMatchObject({ code, out: '' })
  expect(ran.err.endsWith(says)).toBe(true)
  expect(statSync(of.settings, { throwIfNoEntry: false })).toBeUndefined()
})

test('run-now is refused while paused (3.6)', async () => {
  const of = folder({ '.svc/paused': '' })
  expect(await svc(of, ['run-now'])).toMatchObject({ code: 1, err: 'Paused. Resume first.\n' })
})

test.each([[['fly']], [['status', '--fast']], [['set']], [['logs', 'work', '--lines', 'x']], [['account', 'set']]])(
  '%j is wrong usage',
  async (args) => {
    expect((await svc(folder(), args)).code).toBe(2)
  },
)

test('the outbox shows the exact report and answer, without the token even if the answer repeats it', async () => {
  const lying = await service()
  lying.usual = json({ commands: [], interval: 30, token })
  const of = folder({}, lying.origin)
  await svc(of, ['report', '--once'])
  const shown = JSON.parse((await svc(of, ['outbox', '--json'])).out)
  expect(shown.report).toBe(lying.reports[0]?.text)
  expect(shown.answer).toBe('{"commands":[],"interval":30,"token":"[masked]"}')
  expect(statSync(of.outbox).mode & 0o777).toBe(0o600)
})

test('text of an agent, a log or a service cannot control a terminal (I31)', async () => {
  const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp.exe'
  const bad = await service()
  bad.usual = json({ error: { code: 'x', message: evil } }, 500)
  const of = folder(
    {
      'state/status.json': JSON.stringify({ state: { level: 'ok', label: evil }, active: [{ kind: evil }] }),
      'state/work.log': evil,
    },
    bad.origin,
  )
  for (const args of [
    ['report', '--once'],
    ['status'],
    ['why'],
    ['logs', 'work'],
    ['outbox'],
    ['status', '--json'],
    ['outbox', '--json'],
    ['doctor'],
  ]) {
    const { out, err } = await svc(of, args)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
    expect(out + err, args.join(' ')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
  }
})

test('doctor finds what is wrong and says what to do', async () => {
  const of = folder({ 'svc.agent.yaml': 'name: A\nversion: 1\n', '.svc/agent.env': '' })
  writeFileSync(of.secrets, 'A=1\n', { mode: 0o644 })
  const { code, out } = await svc(of, ['doctor', '--json'])
  expect(code).toBe(1)
  const bad = JSON.parse(out).checks.flatMap((c: { name: string; ok: boolean; message: string }) =>
    c.ok ? [] : [`${c.name}: ${c.message}`],
  )
  expect(bad).toEqual([
    expect.stringMatching(/^Manifest: svc.agent.yaml:1:7 .*\nsvc.agent.yaml:2:10 /),
    expect.stringMatching(/^Mode: .*secrets.env can be read by others; run "chmod 600/),
    expect.stringContaining('Reporter: not running'),
    expect.stringContaining('Connection: '),
  ])
})
