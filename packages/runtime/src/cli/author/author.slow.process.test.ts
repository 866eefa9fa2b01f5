/**
 * Tests the commands with which an author makes, checks and packs a blueprint. `npm test` leaves this out.
 * packages/blueprint/src/manifest/read.test.ts proves the same rules.
 */
import { execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readBundle, readManifest } from '@svc/blueprint'
import { readStatusFile, type StatusFile } from '@svc/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { programs } from '../../../../../testing/program.ts'
import { languages } from './starting.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-author-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}
/** Runs `svc` as an author of blueprints would. `shell` is a shell command that runs first, such as `umask 077`. */
function svc(args: readonly string[], { cwd = root, shell = ':', env = {} } = {}): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      'sh',
      ['-c', `${shell}; exec "$@"`, 'sh', process.execPath, programs.svc, ...args],
      { cwd, env: { ...process.env, ...env } },
      (error, out, err) => resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    )
  })
}

describe.each(languages)('svc new --language %s', (language) => {
  test('makes a blueprint that is checked and packed unchanged, and packing it gives a valid bundle', async () => {
    expect(await svc(['new', 'disk-watch', '--language', language])).toMatchObject({ code: 0, err: '' })
    expect(readdirSync(root)).toEqual(['disk-watch'])
    const check = await svc(['check', 'disk-watch', '--json'])
    expect(JSON.parse(check.out)).toEqual({
      ok: true,
      name: 'disk-watch',
      version: '0.1.0',
      findings: [],
      warnings: [],
      hints: [],
    })
    const pack = await svc(['pack', 'disk-watch', '--json'])
    expect(pack.code).toBe(0)
    const { file, sha256 } = JSON.parse(pack.out)
    expect(file.endsWith('/disk-watch-0.1.0.zip')).toBe(true)
    expect(await readBundle(readFileSync(file))).toMatchObject({
      ok: true,
      value: { sha256, manifest: { name: 'disk-watch' } },
    })
    expect(await svc(['check', 'disk-watch-0.1.0.zip'])).toEqual({
      code: 0,
      out: 'disk-watch 0.1.0 is good to go.\n',
      err: '',
    })
  })

  test('makes an agent that reports its state, pauses, runs now, takes settings, and ends when asked', async () => {
    await svc(['new', 'disk-watch', '--language', language])
    const folder = join(root, 'disk-watch')
    const at = (...parts: string[]) => join(folder, ...parts)
    mkdirSync(at('.svc'))
    mkdirSync(at('state'))
    const manifest = readManifest(readFileSync(at('svc.agent.yaml')))
    const [command = '', ...args] =
      manifest.ok && manifest.value.runtime?.kind === 'process' ? manifest.value.runtime.command : []
    const main = args.at(-1) ?? ''
    const often = ['writeSeconds', 'WRITE_SECONDS'].find((name) => readFileSync(at(main), 'utf8').includes(name))
    writeFileSync(at(main), readFileSync(at(main), 'utf8').replace(`${often} = 60`, `${often} = 1`))
    const status = statusOf(at('state'))
    const agent = spawn(command === 'node' ? process.execPath : command, args, { cwd: folder, stdio: 'inherit' })
    const ended = new Promise((resolve) => agent.on('close', (code) => resolve(code)))
    try {
      const first = await status((s) => s.runs?.length === 1)
      expect(first.state).toMatchObject({ level: 'info', detail: expect.stringContaining('Replace the function work') })
      expect(first.agent, 'the manifest says the version').toBeUndefined()
      rmSync(at('state/status.json'))
      expect(await status(() => true), 'the status is written again although nothing is new (D67)').toEqual(first)
      writeFileSync(at('.svc/run_now'), '')
      await status((s) => s.runs?.length === 2)
      expect(existsSync(at('.svc/run_now'))).toBe(false)
      writeFileSync(at('.svc/settings.new'), JSON.stringify({ every: 1 }))
      renameSync(at('.svc/settings.new'), at('.svc/settings.json'))
      await status((s) => s.runs?.length === 3)
      writeFileSync(at('.svc/paused'), '')
      const paused = await status((s) => s.state?.label === 'Paused')
      rmSync(at('.svc/paused'))
      await status((s) => (s.runs?.length ?? 0) > (paused.runs?.length ?? 0))
      expect(readFileSync(at('state/work.log'), 'utf8')).toMatch(/worked; again in 1 minutes/)
      expect(JSON.parse((await svc(['pack', '--json'], { cwd: folder })).out).leftOut).toEqual(['state/'])
    } finally {
      agent.kill('SIGTERM')
    }
    expect(await ended).toBe(0)
  })
})

/** Waits until the agent's status meets a condition. Every status on the way must be valid too (2.11). */
function statusOf(state: string): (wanted: (status: StatusFile) => boolean) => Promise<StatusFile> {
  const read = (): StatusFile | undefined => {
    if (!existsSync(join(state, 'status.json'))) return undefined
    const got = readStatusFile(JSON.parse(readFileSync(join(state, 'status.json'), 'utf8')), Date.now())
    expect(got).toMatchObject({ unknown: [], dropped: [] })
    return got?.status
  }
  return (wanted) =>
    new Promise((resolve, reject) => {
      const check = () => {
        try {
          const now = read()
          if (!now || !wanted(now)) return
          resolve(now)
        } catch (error) {
          reject(error)
        }
        watching.close()
      }
      const watching = watch(state, check)
      check()
    })
}

describe('svc new', () => {
  test('leaves existing files as they are', async () => {
    mkdirSync(join(root, 'mine'))
    const ran = await svc(['new', 'mine'])
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(ran.err).toMatch(/There is already something at .*mine\. Nothing was changed/)
    expect(readdirSync(root)).toEqual(['mine'])
    expect(readdirSync(join(root, 'mine'))).toEqual([])
  })

  test.each([['Bad Name'], ['../x']])('refuses the name %j', async (name) => {
    expect((await svc(['new', name])).code).toBe(2)
    expect(readdirSync(root)).toEqual([])
  })
})

test('svc pack gives the same bytes whatever the time zone, the umask, the times and the folder', async () => {
  await svc(['new', 'one'])
  const first = JSON.parse((await svc(['pack', 'one', '--json'])).out)
  mkdirSync(join(root, 'else where'))
  const copy = join(root, 'else where/two')
  cpSync(join(root, 'one'), copy, { recursive: true })
  for (const name of readdirSync(copy)) utimesSync(join(copy, name), 1e9, 1e9)
  const other = await svc(['pack', '--out', 'made.zip', '--json'], {
    cwd: copy,
    shell: 'umask 077; chmod -R go= .',
    env: { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8' },
  })
  expect(JSON.parse(other.out).sha256).toBe(first.sha256)
  expect(readFileSync(join(copy, 'made.zip')).equals(readFileSync(first.file))).toBe(true)
  // The bundle that an earlier call wrote into the folder is not part of the next bundle.
  const again = await svc(['pack', '--out', 'made.zip', '--json'], { cwd: copy })
  expect(JSON.parse(again.out).sha256).toBe(first.sha256)
})

test('svc pack refuses with every finding and writes nothing', async () => {
  await svc(['new', 'one'])
  const manifest = join(root, 'one/svc.agent.yaml')
  writeFileSync(manifest, `${readFileSync(manifest, 'utf8')}instructions: AGENT.md\nnmae: x\n`)
  writeFileSync(join(root, 'one/a\\b'), '')
  const ran = await svc(['pack', 'one'])
  expect(ran).toMatchObject({ code: 1, out: '' })
  expect(ran.err).toMatch(
    /^a\\b: holds a backslash\nsvc\.agent\.yaml:\d+:1: There is no key "nmae" here; did you mean "name"\?\nNothing was packed from /,
  )
  expect(readdirSync(root)).toEqual(['one'])
})

test('svc check lists everything at once, for people and for programs, and exits with 1', async () => {
  mkdirSync(join(root, 'bad'))
  writeFileSync(join(root, 'bad/svc.agent.yaml'), 'name: Bad\nversion: 1\nruntime: { kind: process, command: [x] }\n')
  const said = await svc(['check', 'bad'])
  expect(said.code).toBe(1)
  expect(said.out.split('\n').map((line) => line.slice(0, 24))).toEqual([
    'svc.agent.yaml:1:7: name',
    'svc.agent.yaml:2:10: ver',
    '2 findings.',
    '',
  ])
  const { code, out } = await svc(['check', 'bad', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({
    ok: false,
    findings: [
      { file: 'svc.agent.yaml', line: 1, column: 7 },
      { file: 'svc.agent.yaml', line: 2, column: 10 },
    ],
  })
})

test.each([
  ['a missing path', 'none', 2, /There is no folder or bundle at/],
  ['a file that is not a zip archive', 'text', 1, /The bundle is not a zip archive/],
  ['a file of 21 MB', 'large', 1, /large: is larger than 20 MB/],
])('svc check of %s', async (_what, name, code, says) => {
  writeFileSync(join(root, 'text'), 'hello')
  writeFileSync(join(root, 'large'), Buffer.alloc(21 * 1024 * 1024))
  const ran = await svc(['check', name])
  expect(ran.code).toBe(code)
  expect(ran.out + ran.err).toMatch(says)
})
