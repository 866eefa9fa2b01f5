/**
 * Kills `svc init` at its system calls from outside: strace kills the process when it enters the n-th call of each
 * kind that changes names on the disk or syncs. Unlike kills between two lines of our code, this covers what Node does
 * inside one function call, and it covers the built file. `npm test` leaves this out.
 * packages/runtime/src/install/init.process.test.ts proves the same rules.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { PackedBundle } from '@svc/blueprint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { level } from '../../../../testing/level.ts'
import { bundle } from '../../testing/blueprint.ts'
import { becomes, starts } from '../../testing/folder.ts'
import {
  expectStandsAsSaid,
  type InstallSetup,
  initArgs,
  type KillMoment,
  newInstallSetup,
} from '../../testing/install-setup.ts'
import { agentIn, password } from '../../testing/installed.ts'
import { quickBuild } from '../../testing/releases.ts'
import { straceMissing } from '../../testing/strace.ts'

/** The kinds of system calls. Machines differ in the names of the actual calls. */
const kinds = ['rename', 'unlink', 'link', 'symlink', 'mkdir', 'rmdir', 'fsync', 'fdatasync'] as const
const calls = '/^(rename|unlink|link|symlink|mkdir|rmdir|fsync|fdatasync)(at|at2)?$'
const pattern = (kind: string) => `/^${kind}(at|at2)?$`

const missing = straceMissing(calls, 'kills at system calls of "svc init"')

const folder = mkdtempSync(join(tmpdir(), 'svc-strace-'))
let packed: PackedBundle
let program: string
beforeAll(async () => {
  packed = await bundle()
  program = (await quickBuild({ outDir: join(folder, 'cli'), version: '1.2.3' })).file
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Runs an installation under strace; `inject` is in strace's syntax. Node uses a single thread for its own work, so
 * that calls have the same numbers in each run.
 */
function traced(
  w: InstallSetup,
  out: string,
  inject: readonly string[] = [],
  more: readonly string[] = [],
): Promise<{ signal: string | null; err: string }> {
  const args = [
    '-f',
    '-qq',
    '-s',
    '500',
    ...more,
    '-o',
    out,
    '-e',
    `trace=${calls}`,
    ...inject.flatMap((e) => ['-e', `inject=${e}`]),
  ]
  const init = [process.execPath, '-e', 'require(process.argv[1])', program, ...initArgs(w)]
  return new Promise((resolve) => {
    const child = execFile(
      'strace',
      [...args, ...init],
      { cwd: w.above.root, env: { ...process.env, UV_THREADPOOL_SIZE: '1', MAIL_PASSWORD: password } },
      (_error, _out, err) => resolve({ signal: child.signalCode, err }),
    )
  })
}

type Point = readonly [kind: string, n: number]
/**
 * Lists the calls at which the process can be killed: each kind of call with the numbers from 1 up. The largest number
 * is that of the calls of one name that a single thread makes, since strace counts calls by thread and name.
 */
async function pointsOf(): Promise<Point[]> {
  const w = await newInstallSetup(packed)
  const out = join(folder, 'calls')
  try {
    expect(await traced(w, out)).toMatchObject({ signal: null })
    expect(await expectStandsAsSaid(w, 'unharmed')).toBe('installed')
  } finally {
    await w.remove()
  }
  const maxCalls = new Map<string, number>()
  const each = new Map<string, number>()
  for (const line of readFileSync(out, 'utf8').split('\n')) {
    const [, thread, kind, ending = ''] = /^(\d+)\s+([a-z]+?)(at2?)?\(/.exec(line) ?? []
    if (kind === undefined) continue
    const n = (each.get(`${thread} ${kind}${ending}`) ?? 0) + 1
    each.set(`${thread} ${kind}${ending}`, n)
    maxCalls.set(kind, Math.max(maxCalls.get(kind) ?? 0, n))
  }
  return kinds.flatMap((kind) => Array.from({ length: maxCalls.get(kind) ?? 0 }, (_, i) => [kind, i + 1] as const))
}

/** Chooses the calls at which the process is killed: all in the long form, six spread over all in the short form. */
const chosen = (all: readonly Point[]): Point[] =>
  level === 'long'
    ? [...all]
    : Array.from({ length: 6 }, (_, i) => all[Math.floor(((i + 0.5) * all.length) / 6)]).filter((p) => p !== undefined)

/**
 * Checks that files are synced in the order of D57. No kill can show this, since written data outlives its process: a
 * file must be on the disk before it gets its name, and the name before the next step. strace prints the file of each
 * sync.
 */
test.skipIf(missing !== undefined)(
  'after a power failure all files are whole: each is synced before it gets its name, and its folder after',
  async () => {
    const w = await newInstallSetup(packed)
    const out = join(folder, 'order')
    try {
      expect(await traced(w, out, [], ['-y'])).toMatchObject({ signal: null })
      const calls = callsIn(readFileSync(out, 'utf8'), w.agent.root)
      const renames = calls.flatMap((call, at) => (call.kind === 'rename' ? [{ ...call, at }] : []))
      const names = renames.map(({ to = '' }) => relative(w.agent.root, to))
      for (const name of ['.svc/journal/install.json', '.svc/agent.env', '.svc/secrets.env', '.svc/settings.json'])
        expect(names).toContain(name)
      for (const name of ['current', '.svc/runtime/svc.pyz']) expect(names).toContain(name)
      for (const { at, path, to = '' } of renames) {
        const isSynced = (file: string, calls: readonly Call[]) =>
          calls.some(({ kind, path }) => kind === 'fsync' && path === file)
        const name = relative(w.agent.root, to)
        // a power failure may lose lock files, `manifest.json` and folders that are being removed, so they need no sync
        if (/^(\.svc\/(lock|journal\/manifest)|\.svc\..*old$)/.test(name)) continue
        const isFile = name !== 'current' && !name.startsWith('versions/')
        if (isFile) expect(isSynced(path, calls.slice(0, at)), `${name} before it is renamed`).toBe(true)
        expect(isSynced(dirname(to), calls.slice(at)), `the folder of ${name} after it`).toBe(true)
      }
      const marker = renames.filter(({ to }) => to === w.agent.install).at(-1)?.at ?? 0
      const unsynced = calls.slice(marker + 2).filter(({ kind }) => kind === 'fsync')
      expect(unsynced.length, 'the marker is last').toBeLessThan(2)
    } finally {
      await w.remove()
    }
  },
)

interface Call {
  readonly kind: string
  readonly path: string
  readonly to?: string
}
/** Parses the calls on files in a folder, in their order: `fsync(17</path>)`, `rename("/from", "/to")`. */
const callsIn = (trace: string, root: string): Call[] =>
  trace.split('\n').flatMap((line): Call[] => {
    const [, kind = '', rest = ''] = /^\d+\s+([a-z]+?)(?:at2?)?\((.*)/.exec(line) ?? []
    const paths = [...rest.matchAll(/"([^"]+)"|\d<([^>]+)>/g)].map((m) => m[1] ?? m[2] ?? '')
    const [path = '', to] = paths.filter((p) => p.startsWith(root))
    return path === '' ? [] : [{ kind, path, ...(to !== undefined && { to }) }]
  })

test.skipIf(missing !== undefined)(
  'killed at a system call: the code is still good, or the folder says what to do, or the agent runs',
  { timeout: 20 * 60_000 },
  async () => {
    const all = await pointsOf()
    expect(all.length).toBeGreaterThan(30)
    expect(all.map(([kind]) => kind)).toEqual(expect.arrayContaining(['rename', 'symlink', 'mkdir', 'fsync']))
    const found = new Map<KillMoment, number>()
    for (const [kind, n] of chosen(all)) {
      const where = `killed on entering ${kind} ${n}`
      const w = await newInstallSetup(packed)
      try {
        const { signal, err } = await traced(w, join(folder, 'killed'), [`${pattern(kind)}:signal=SIGKILL:when=${n}`])
        expect(signal, `${where}: ${err}`).toBe('SIGKILL')
        const step = await expectStandsAsSaid(w, where)
        found.set(step, (found.get(step) ?? 0) + 1)
        if (step === 'installed') await expectRuns(w, where)
      } finally {
        await w.remove()
      }
    }
    expect([...found.keys()], 'before the code was sent, and after it').toEqual(
      expect.arrayContaining(['before', 'redeemed']),
    )
    expect(
      found.get('noted') ?? 0,
      'one call lies between the note and the sending: the sync of its folder',
    ).toBeLessThan(2)
  },
)

async function expectRuns(w: InstallSetup, where: string): Promise<void> {
  const agent = agentIn(w.agent.root)
  const running = starts(agent, ['run'], { scale: 0.05 })
  try {
    await becomes(`${where}: the agent runs`, () => agent.starts().length > 0)
  } finally {
    await running.end()
  }
}
