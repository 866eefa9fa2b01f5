/**
 * Tests `svc init` (2.9, 4, D44): what it asks, what it leaves, and what it says if something fails before and after
 * the code is spent.
 */
import { execFile } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PackedBundle } from '@svc/blueprint'
import { beforeAll, describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { byLevel, level, rowsOfLevel } from '../../../../testing/level.ts'
import { programs } from '../../../../testing/program.ts'
import { bundle, bundleManifest, code, previewOf, redeemedOf } from '../../testing/blueprint.ts'
import { python, svc, token } from '../../testing/folder.ts'
import { secretsFiles } from '../../testing/handed-files.ts'
import { expectStandsAsSaid, type InstallSetup, type KillMoment, newInstallSetup } from '../../testing/install-setup.ts'
import { quickBuild } from '../../testing/releases.ts'
import { json, type Reply, unknownCode } from '../../testing/service.ts'
import { folderAt } from '../machine/files/folder.ts'
import { readInstall } from '../state/install-note.ts'

const password = 'correct horse battery'
const here = fileURLToPath(new URL('../..', import.meta.url))
let packed: PackedBundle
beforeAll(async () => {
  packed = await bundle()
})

async function newSetup(): Promise<InstallSetup> {
  const w = await newInstallSetup(packed)
  afterThisTest(w.remove)
  return w
}
const secretsEnv = { MAIL_PASSWORD: password }
const init = (
  { service, above }: InstallSetup,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = secretsEnv,
  input = '',
) => svc(above, ['init', '--url', service.origin, '--code', code, ...args], { env, input })
const everything = (root: string): string[] =>
  existsSync(root) ? readdirSync(root, { recursive: true }).map(String).sort() : []
/** The content of all files in a folder, as text. */
const contents = (root: string): string =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile())
    .map((e) => readFileSync(join(e.parentPath, e.name), 'latin1'))
    .join('\n')

test('the agent gets its own copy of the program that installed it, whatever that is called', async () => {
  const w = await newSetup()
  const program = join(w.above.root, 'svc')
  renameSync((await quickBuild({ outDir: w.above.root, version: '1.4.0' })).file, program)
  const args = ['init', '--url', w.service.origin, '--code', code]
  expect(await svc(w.above, args, { env: secretsEnv, file: [program] })).toMatchObject({ code: 0 })
  expect(readFileSync(w.agent.runtime).equals(readFileSync(program))).toBe(true)
})

test('it installs what was announced: version, current, state with seeds, files readable only by the owner; it starts nothing', async () => {
  const w = await newSetup()
  const ran = await init(w, ['--json'])
  expect(ran.code).toBe(0)
  expect(JSON.parse(ran.out)).toEqual({
    installed: true,
    agent: 'mail-triage',
    blueprint: 'mail-triage',
    version: '1.4.0',
    dir: w.agent.root,
    url: w.service.origin,
    started: false,
    optionalSecretsNotGiven: ['EXTRA_KEY'],
  })
  for (const says of [
    'mail-triage 1.4.0',
    'Sorts incoming mail.',
    'tasks as editor: tasks.write',
    'MAIL_PASSWORD: reads the mailbox',
    'EXTRA_KEY (optional): finds more',
  ])
    expect(ran.err).toContain(says)
  const { agent } = w
  expect(readlinkSync(agent.current)).toBe(`versions/${packed.sha256.slice(0, 32)}`)
  expect(readFileSync(join(agent.current, 'svc.agent.yaml'), 'utf8')).toBe(bundleManifest)
  expect(lstatSync(join(agent.current, 'state')).isSymbolicLink()).toBe(true)
  expect(realpathSync(join(agent.current, 'state'))).toBe(agent.state)
  expect(readFileSync(join(agent.state, 'seed.json'), 'utf8')).toBe('{"seed":true}\n')
  expect(readFileSync(agent.env, 'utf8')).toContain(`SVC_TOKEN=${token}\n`)
  expect(readFileSync(agent.env, 'utf8')).toContain(`SVC_URL=${w.service.origin}\n`)
  expect(readFileSync(agent.secrets, 'utf8')).toBe(`MAIL_PASSWORD=${password}\n`)
  for (const file of [agent.env, agent.secrets]) expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(agent.settings, 'utf8'))).toEqual({ every: 10, dry: false, note: null })
  expect(readInstall(agent)).toMatchObject({
    is: 'installed',
    agent: 'mail-triage',
    version: '1.4.0',
    sha256: packed.sha256,
  })
  expect(w.service.reports).toEqual([])
  expect(w.service.installs.map((c) => [c.path, c.text, c.token])).toEqual([
    ['/api/agent/v1/install/preview', JSON.stringify({ code }), undefined],
    ['/api/agent/v1/install', JSON.stringify({ code }), undefined],
  ])
  expect(ran.out + ran.err).not.toMatch(/svc_(agt|bot|inst)_|battery/)
})

test.skipIf(level === 'short')(
  'it takes the code from the environment or standard input, also if it is written late, and secrets from a file',
  async () => {
    const w = await newSetup()
    writeFileSync(join(w.above.root, 'secrets'), `MAIL_PASSWORD=${password}\nEXTRA_KEY=more\n`)
    const ran = await svc(
      w.above,
      ['init', '--url', w.service.origin, '--secrets-file', 'secrets', '--dir', 'elsewhere'],
      { input: `${code}\n`, inputLate: true },
    )
    expect(ran).toMatchObject({ code: 0 })
    expect(readFileSync(join(w.above.root, 'elsewhere/.svc/secrets.env'), 'utf8')).toBe(
      `MAIL_PASSWORD=${password}\nEXTRA_KEY=more\n`,
    )
    const other = await newSetup()
    expect(
      (await svc(other.above, ['init', '--url', other.service.origin], { env: { ...secretsEnv, SVC_CODE: code } }))
        .code,
    ).toBe(0)
  },
)

describe('settings at the installation', () => {
  const settings = (w: InstallSetup) => JSON.parse(readFileSync(w.agent.settings, 'utf8'))

  test('are given with --set, also unattended; one without a default and a value is named with the command that sets it', async () => {
    const w = await newSetup()
    const ran = await init(w, ['--set', 'every=30', '--set', 'dry=true'])
    expect(ran.code).toBe(0)
    expect(settings(w)).toEqual({ every: 30, dry: true, note: null })
    expect(ran.out).toContain(`Without a value: note. Set it with: svc set note=… --dir ${w.agent.root}`)
    expect((await svc(w.agent, ['settings'])).out).toMatch(/^every +30 .* by /m)
    const other = await newSetup()
    expect((await init(other, ['--set', 'note=x'])).out).not.toContain('Without a value')
  })

  test('one that --set names wrongly is refused before the code is spent', async () => {
    const w = await newSetup()
    const ran = await init(w, ['--set', 'nosuch=1'])
    expect(ran).toMatchObject({ code: 2, out: '' })
    expect(ran.err).toContain('There is no setting "nosuch".')
    expect(ran.err).toContain('the code is still valid')
    expect(w.count.redeemed).toBe(0)
    expect(everything(w.above.root)).toEqual([])
  })

  test.skipIf(level === 'short')(
    'are set after the installation if the service does not announce them, and wrong values are reported',
    async () => {
      for (const [pair, value, says] of [
        ['every=30', 30, 'Installed'],
        ['every=1000', 10, 'No setting was changed: Minutes must be between 1 and 120'],
      ] as const) {
        const w = await newSetup()
        w.service.preview = json({ ...previewOf(packed), settings: undefined })
        const ran = await init(w, ['--set', pair])
        expect(ran.code).toBe(0)
        expect(ran.out).toContain(says)
        expect(settings(w)).toMatchObject({ every: value })
      }
      const w = await newSetup()
      w.service.preview = json({ ...previewOf(packed), settings: undefined })
      const ran = await init(w, ['--set', 'every=1000', '--json'])
      expect(JSON.parse(ran.out)).toMatchObject({ settingsRefused: expect.stringContaining('between 1 and 120') })
    },
  )

  test.each(
    rowsOfLevel(
      [
        ['limit', 'A setting is changed as KEY=VALUE: got "limit".'],
        ['=4', 'A setting is changed as KEY=VALUE: got "=4".'],
      ],
      1,
    ),
  )('--set %s is refused before the code is used, even if the service announces no settings', async (pair, says) => {
    const w = await newSetup()
    w.service.preview = json({ ...previewOf(packed), settings: undefined })
    const ran = await init(w, ['--set', pair])
    expect(ran).toMatchObject({ code: 2, out: '' })
    expect(ran.err).toContain(`${says} Nothing was installed; the code is still valid.`)
    expect(w.count.redeemed).toBe(0)
    expect(w.service.installs).toEqual([])
  })
})

test.skipIf(level === 'short')('an empty folder can be used, and stays if nothing is installed into it', async () => {
  const w = await newSetup()
  mkdirSync(w.agent.root)
  expect((await init(w, [], {})).code).toBe(1)
  expect(everything(w.agent.root)).toEqual([])
  expect((await init(w)).code).toBe(0)
})

describe('before the code is spent, nothing is left behind and the code stays good', () => {
  const untouched = (w: InstallSetup) => {
    expect(w.count.redeemed).toBe(0)
    expect(everything(w.above.root)).toEqual([])
  }
  test('a secret that nobody gives', async () => {
    const w = await newSetup()
    const ran = await init(w, [], {})
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(ran.err).toContain('No value was given for MAIL_PASSWORD.')
    untouched(w)
  })

  test.each(
    rowsOfLevel(
      [
        ['a text that is not a code', ['--code', 'hunter2'], 2, 'That is not an install code'],
        ['a code with an invisible character', ['--code', 'svc_inst_ab\u200bc'], 2, 'U+200B, after 11 characters'],
        ['an invalid address', ['--url', 'svc.example.com'], 2, '--url must be an address'],
        ['a folder whose parent is missing', ['--dir', 'no/such/place'], 1, 'Create it first'],
        ['a missing file of secrets', ['--secrets-file', 'nowhere'], 2, 'is not there'],
      ],
      2,
    ),
  )('%s', async (_what, args, exit, says) => {
    const w = await newSetup()
    const ran = await init(w, args)
    expect(ran.code).toBe(exit)
    expect(ran.err).toContain(says)
    untouched(w)
  })

  // machine/files/handed.test.ts reads all files of the table without a process, so one of them is enough here.
  test('a secrets file that is not understood as a whole', { timeout: 300_000 }, async () => {
    const w = await newSetup()
    const file = join(w.above.root, 'secrets')
    const some = secretsFiles.filter(
      (f) => !f.reads && (level === 'long' || f.name === 'a quoted value of several lines'),
    )
    for (const { name, bytes, says } of some) {
      writeFileSync(file, bytes)
      const ran = await init(w, ['--secrets-file', file], {})
      expect(ran.code, name).toBeGreaterThan(0)
      for (const part of says) expect(ran.err, name).toContain(part)
      expect(ran.err, name).toContain('Nothing was installed; the code is still valid.')
      expect(ran.err, name).not.toContain(password)
      rmSync(file)
      untouched(w)
    }
    expect(some.length).toBeGreaterThan(0)
  })

  test.skipIf(level === 'short')(
    'a secret whose value would be two lines, or whose name the loader reads (D51)',
    async () => {
      const w = await newSetup()
      expect((await init(w, [], { MAIL_PASSWORD: 'a\nb' })).err).toContain('must not hold a line break')
      w.service.preview = json({ ...previewOf(packed), secrets: [{ name: 'LD_PRELOAD', purpose: 'x' }] })
      expect((await init(w)).err).toContain('must not be a variable that programs or their loaders obey')
      untouched(w)
    },
  )

  test.skipIf(level === 'short')('programs that are missing or too old, unless somebody says to continue', async () => {
    const needs = 'needs: [sh, restic-not-here, {name: sh-tool, min: "2.0"}]'
    const needing = await bundle({ 'svc.agent.yaml': `${bundleManifest}${needs}\n` })
    const w = await newInstallSetup(needing)
    afterThisTest(w.remove)
    const bin = join(w.above.root, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'sh-tool'), '#!/bin/sh\necho sh-tool 1.9.3\n', { mode: 0o755 })
    const env = { ...secretsEnv, PATH: `${bin}:${process.env.PATH}` }
    const ran = await init(w, [], env)
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(ran.err).toContain('It needs these programs: sh, restic-not-here, sh-tool 2.0 or newer.')
    expect(ran.err).toContain('restic-not-here is missing: there is no such program in PATH.')
    expect(ran.err).toContain('sh-tool is 1.9.3, and 2.0 or newer is needed.')
    expect(ran.err).toContain('add --yes to install the agent without it')
    expect(w.service.installs.map((c) => c.path)).toEqual(['/api/agent/v1/install/preview'])
    expect(existsSync(w.agent.root)).toBe(false)
    const forced = await init(w, ['--yes'], env)
    expect([forced.code, forced.err.includes('restic-not-here is missing')]).toEqual([0, true])
    const doctor = await svc(w.above, ['doctor', '--offline', '--dir', w.agent.root, '--json'], { env })
    expect(JSON.parse(doctor.out).checks).toContainEqual({
      name: 'Programs',
      ok: false,
      message:
        'restic-not-here is missing: there is no such program in PATH. sh-tool is 1.9.3, and 2.0 or newer is needed.',
    })
  })

  test('a service that is away, or refuses', async () => {
    const w = await newSetup()
    await w.service.close()
    expect((await init(w)).code).toBe(3)
    const no = await newSetup()
    no.service.preview = json({ error: { code: 'svc_too_old', message: 'Install the newer svc.' } }, 403)
    expect((await init(no)).err).toContain('Install the newer svc.')
    untouched(no)
  })

  test('a 409 at redeem undoes everything', async () => {
    const w = await newSetup()
    const message = 'The workspace already has an agent of that name.'
    w.service.install = json({ error: { code: 'agent_name_taken', message } }, 409)
    const ran = await init(w)
    expect(ran).toMatchObject({ code: 1 })
    expect(ran.err).toContain('already has an agent')
    expect(everything(w.above.root)).toEqual([])
  })

  test.runIf(python)('Ctrl-C at a question of each kind', async () => {
    for (const question of ['Install it?', 'MAIL_PASSWORD: reads', 'setting note']) {
      const w = await newSetup()
      const script = [
        ['install code', code],
        ['Install it?', ''],
        ['MAIL_PASSWORD: reads', password],
        ['EXTRA_KEY: finds', ''],
        ['setting note', ''],
      ].flatMap(([wait = '', line = '']) => (wait === question ? [[wait, '\u0003']] : [[wait, line]]))
      const until = script.findIndex(([, line]) => line === '\u0003')
      const shown = await atTerminal(w, script.slice(0, until + 1))
      expect(shown, question).toContain('Nothing was done.')
      expect(shown).not.toContain(password)
      untouched(w)
    }
  })

  test.runIf(python && level !== 'short')('a terminal that does not know its size shows whole lines', async () => {
    const w = await newSetup()
    const shown = await atTerminal(
      w,
      [
        ['install code', code],
        ['Install it?', '\u0003'],
      ],
      { SVC_TEST_NO_SIZE: '1' },
    )
    expect(shown).toContain('The install code (it is not shown)')
    expect(shown).toContain('Install it?')
  })

  test.runIf(python)('a person at a terminal is guided through it, and sees no secret', async () => {
    const w = await newSetup()
    const shown = await atTerminal(w, [
      ['install code', code],
      ['Install it?', ''],
      ['MAIL_PASSWORD: reads', password],
      ['EXTRA_KEY: finds', ''],
      ['setting note', 'from the terminal'],
    ])
    expect(shown).toContain('Installed mail-triage')
    expect(JSON.parse(readFileSync(w.agent.settings, 'utf8'))).toMatchObject({ note: 'from the terminal' })
    expect(shown).not.toContain(password)
    expect(shown).not.toContain(code)
    expect(readFileSync(w.agent.secrets, 'utf8')).toBe(`MAIL_PASSWORD=${password}\n`)
  })
})

test('many machines behind one address install in turn, each once, and say why they wait', async () => {
  const w = await newSetup()
  const machines = byLevel(4, 6, 50)
  const perMinute = byLevel(3, 4, 20)
  const scale = 0.02
  const codes = Array.from({ length: machines }, (_, i) => `svc_inst_${String(i).padStart(43, 'C')}`)
  const used = new Set<string>()
  let admitted: number[] = []
  const inTurn =
    (reply: (agentName: string, code: string) => Reply): Reply =>
    (response, came, socket) => {
      const now = performance.now()
      admitted = admitted.filter((at) => at > now - 60_000 * scale)
      if (admitted.length >= perMinute) {
        response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '60' })
        return void response.end('{"error":{"code":"rate_limited","message":"Too many."}}')
      }
      admitted.push(now)
      const { code } = JSON.parse(came.text) as { code: string }
      reply(`mail-${codes.indexOf(code) + 1}`, code)(response, came, socket)
    }
  w.service.preview = inTurn((agentName) => json({ ...previewOf(packed), agentName }))
  w.service.install = inTurn((name, code) => {
    if (used.has(code)) return unknownCode
    used.add(code)
    return json({ ...redeemedOf(packed), agent: { name } })
  })
  // The last machine got the code of the first one.
  const given = [...codes, codes[0] ?? '']
  const ran = await Promise.all(
    given.map((code, i) =>
      svc(w.above, ['init', '--url', w.service.origin, '--code', code, '--dir', join(w.above.root, `m${i}`)], {
        env: { ...secretsEnv, SVC_TIME_SCALE: String(scale) },
      }),
    ),
  )
  const refused = ran.filter(({ code }) => code !== 0)
  expect(refused.length, refused.map(({ err }) => err).join('\n')).toBe(1)
  expect(refused[0]?.err).toContain('does not know this code')
  expect(used.size).toBe(machines)
  expect(
    ran.filter(({ err }) => /takes 20 install calls a minute .* Trying again in 60 s/.test(err)).length,
  ).toBeGreaterThan(0)
  const installed = given.map((_, i) => readInstall(folderAt(join(w.above.root, `m${i}`))))
  expect(installed.filter((note) => note?.is === 'installed').length).toBe(machines)
  expect(installed.filter((note) => note === undefined).length, 'the refused one left no folder').toBe(1)
})

test.runIf(python && level !== 'short')(
  'Ctrl-C while it waits leaves a folder that the same code can be installed into',
  async () => {
    const w = await newSetup()
    const { install } = w.service
    w.service.install = (response) =>
      void response
        .writeHead(429, { 'retry-after': '60' })
        .end('{"error":{"code":"rate_limited","message":"Too many."}}')
    const shown = await atTerminal(w, [
      ['install code', code],
      ['Install it?', ''],
      ['MAIL_PASSWORD: reads', password],
      ['EXTRA_KEY: finds', ''],
      ['setting note', ''],
      ['Trying again in 60 s', '\u0003'],
    ])
    expect(shown).toContain('Trying again in 60 s')
    w.service.install = install
    expect(await init(w)).toMatchObject({ code: 0 })
  },
)

describe('after the code was sent', () => {
  // call.test.ts tests the other answers to the call that redeems the code: lost, refused and wrong ones.
  test('the answer breaks off: the code may be spent, the message says which agent to delete, and nothing starts (D44)', async () => {
    const w = await newSetup()
    w.service.install = (response, _came, socket) => {
      response.writeHead(200, { 'content-length': '100000' }).write('{"agent":')
      setTimeout(() => socket.destroy(), 10)
    }
    const ran = await init(w, [], { ...secretsEnv, SVC_TIME_SCALE: '0.02' })
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(ran.err).toContain('if there is an agent "mail-triage", delete it there')
    expect(
      w.service.installs.filter((c) => c.path.endsWith('/install')),
      'never sent again',
    ).toHaveLength(1)
    for (const args of [
      ['start'],
      ['run'],
      ['init', '--url', w.service.origin, '--code', code, '--dir', w.agent.root],
    ]) {
      const refused = await svc(w.agent, args, { env: secretsEnv })
      expect(refused.code, args[0]).toBe(1)
      expect(refused.err).toContain('it may be used up')
    }
    expect(readInstall(w.agent)?.is).toBe('redeeming')
    expect(contents(w.agent.root)).not.toContain(password)
  })

  test.skipIf(level === 'short')(
    'an answer whose checksum does not match is refused; the agent exists without a machine (4, rule 6)',
    async () => {
      const w = await newSetup()
      w.service.install = json({ ...redeemedOf(packed), sha256: '0'.repeat(64) })
      const ran = await init(w)
      expect(ran).toMatchObject({ code: 1, out: '' })
      expect(ran.err).toContain('checksum of the bundle does not match')
      expect(ran.err).toContain('The agent "mail-triage" exists in the service')
      expect(ran.err).toContain('Delete the agent there')
      expect(everything(w.agent.root).filter((n) => !n.startsWith('.svc'))).toEqual([])
      expect(contents(w.agent.root)).not.toMatch(/svc_(agt|bot|inst)_|battery/)
      expect((await svc(w.agent, ['run'])).code).toBe(1)
    },
  )

  test('a bundle that the rules refuse leaves nothing on the disk (I19)', async () => {
    const w = await newSetup()
    const other = await bundle({ 'svc.agent.yaml': bundleManifest.replace('1.4.0', '1.4.1') })
    w.service.install = json({ ...redeemedOf(other), version: '1.4.0' })
    const ran = await init(w)
    expect(ran.err).toContain('The bundle was refused')
    expect(everything(w.agent.root).filter((n) => !n.startsWith('.svc'))).toEqual([])
    expect(everything(w.agent.root).some((n) => n.includes('staging/'))).toBe(false)
  })
})

/**
 * Runs `svc init` and counts its changes of the disk. With a fault or kill in `env`, that fault or kill happens at the
 * change whose number `env` gives.
 */
function counted(
  w: InstallSetup,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; signal: string | null; err: string }> {
  return new Promise((resolve) => {
    const args = ['--require', programs.killAt, programs.svc, 'init', '--url', w.service.origin, '--code', code]
    const child = execFile(
      process.execPath,
      args,
      { cwd: w.above.root, env: { ...process.env, ...secretsEnv, ...env } },
      (_error, _out, err) => resolve({ code: child.exitCode, signal: child.signalCode, err }),
    )
  })
}
const changes = async (): Promise<number> => {
  const w = await newSetup()
  const file = join(w.above.root, 'count')
  expect(await counted(w, { SVC_TEST_KILL_COUNT: file })).toMatchObject({ code: 0 })
  return Number(readFileSync(file, 'utf8'))
}
/**
 * The numbers of the disk changes at which kills and faults are tested: in the long form of the test all of them, in
 * other forms every `step`-th, beginning with `first`.
 */
const points = (all: number, { first = 1, step }: { first?: number; step: number }): number[] =>
  Array.from({ length: all }, (_, i) => 1 + i).filter(
    (n) => level === 'long' || (n >= first && (n - first) % step === 0),
  )

const limit = level === 'long' ? 20 * 60_000 : 120_000
test('killed at any change of the disk: before the code was sent the next installation works; after it nothing starts, or everything is there', {
  timeout: limit,
}, async () => {
  const all = await changes()
  expect(all).toBeGreaterThan(60)
  const found: KillMoment[] = []
  // Counted back from the last change, so that one of them is among the last 40, where the parts are put in place.
  const step = byLevel(36, 12, 12)
  for (const at of points(all, { first: 1 + ((all - 1) % step), step })) {
    const w = await newSetup()
    const { signal } = await counted(w, { SVC_TEST_KILL_AT: String(at) })
    const where = `killed at change ${at} of ${all}`
    expect(signal, where).toBe('SIGKILL')
    found.push(await expectStandsAsSaid(w, where))
  }
  expect(found.filter((fell) => fell === 'noted').length).toBeLessThan(2)
})

// Outside of the long form, each of the two errors happens at every 24th change of the disk, and kills at every 12th;
// in `npm test` at every 72nd and every 36th.
test.each(
  rowsOfLevel(
    [
      ['ENOSPC', 1],
      ['EIO', 13],
    ] as const,
    1,
  ),
)(
  '%s at any change of the disk: the message says what to do, the exit code is 1, and no secret and no half version is left',
  { timeout: limit },
  async (fault, first) => {
    const all = await changes()
    for (const at of points(all, { first, step: byLevel(72, 24, 24) })) {
      const w = await newSetup()
      const ran = await counted(w, { SVC_TEST_KILL_AT: String(at), SVC_TEST_FAULT: fault })
      const where = `${fault} at change ${at} of ${all}: ${ran.err}`
      if (ran.code === 0) continue // exit code 0: the fault hit a step whose failure does not matter
      expect(ran.code, where).toBe(1)
      if (w.count.redeemed === 0) {
        expect(ran.err, where).toContain('the code is still valid')
        expect((await init(w)).code, where).toBe(0)
      } else {
        expect(ran.err, where).toContain('Delete the agent there')
        expect(contents(w.agent.root), where).not.toMatch(/svc_(agt|bot|inst)_|battery/)
        expect(existsSync(w.agent.current), where).toBe(false)
      }
    }
  },
)

/** Runs the installation at a terminal, and answers its questions one after the other. */
function atTerminal(
  w: InstallSetup,
  answers: readonly (readonly string[])[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const script = JSON.stringify(answers)
  return new Promise((resolve) =>
    execFile(
      'python3',
      [join(here, 'testing/answers.py'), script, process.execPath, programs.svc, 'init', '--url', w.service.origin],
      { cwd: w.above.root, env: { ...process.env, SVC_CODE: '', ...env } },
      (_error, out) => resolve(out),
    ),
  )
}
