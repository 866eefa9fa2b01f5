/**
 * Runs every command that people use while an agent runs on a real file system without space, and on one without
 * inodes: full before the command, full while other programs take whatever is freed, and with room again afterwards.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { diskSpace } from '@svc/protocol'
import { describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../testing/cleaning.ts'
import { byLevel, level } from '../../../testing/level.ts'
import { becomes, type Ran, svc } from '../testing/folder.ts'
import { agentIn, type InstalledAgent, installedAgent, password } from '../testing/installed.ts'
import { command, json, type Service, startService } from '../testing/service.ts'
import { mountMissing, type Scarce, type SmallDisk, smallDisk } from '../testing/small-disk.ts'
import { readEnv } from './machine/files/env.ts'
import { whoHolds } from './machine/files/lock.ts'
import { fillReserve } from './machine/files/reserve.ts'
import { identityOf } from './machine/process/identity.ts'
import { readJournal } from './reporter/commands/journal.ts'
import { readAccount } from './state/account.ts'
import { readNote } from './state/process-note.ts'

const missing = mountMissing('commands on a full disk')

/** An agent that goes on working when the disk is full, and frees nothing on it. */
const tolerant = `const fs = require('node:fs')
const dir = process.env.SVC_STATE_DIR
setInterval(() => {
  try {
    console.log('works')
    if (!fs.existsSync(dir + '/status.json')) fs.writeFileSync(dir + '/status.json', '{"state":{"level":"ok"}}')
  } catch {}
}, 50)
process.stdout.on('error', () => {})
process.on('SIGTERM', () => process.exit(0))
`
const env = { SVC_TIME_SCALE: '0.2', MAIL_PASSWORD: password }

interface World {
  readonly service: Service
  readonly disk: SmallDisk
  readonly agent: InstalledAgent
  readonly run: (args: readonly string[], input?: string) => Promise<Ran>
}

/** An agent that runs on a small file system. */
async function world(scarce: Scarce): Promise<World> {
  const service = await startService()
  afterThisTest(() => service.close())
  const original = await installedAgent(service, { 'main.cjs': tolerant })
  afterThisTest(() => original.remove())
  const disk = smallDisk(scarce)
  afterThisTest(() => disk.unmount())
  const root = join(disk.root, 'mail-triage')
  cpSync(original.root, root, { recursive: true, verbatimSymlinks: true })
  const agent = agentIn(root)
  const run: World['run'] = (args, input) => svc(agent, args, { env, ...(input !== undefined && { input }) })
  afterThisTest(async () => {
    disk.free()
    if (existsSync(agent.svc)) await run(['stop'])
    agent.remove()
  })
  return { service, disk, agent, run }
}

const pidOf = (agent: InstalledAgent): number | undefined => {
  const state = readNote(agent)?.state
  return state?.is === 'running' ? state.pid : undefined
}
const settingsOf = (agent: InstalledAgent) => JSON.parse(readFileSync(agent.settings, 'utf8'))
const anywhere = () => true
/** An answer of the service after which the next report comes as soon as possible. */
const often = (...commands: unknown[]) => json({ commands, interval: 5 })

/**
 * Every command, with its input, and what must be true after it has worked. A command with `never` must work even if a
 * folder has no reserve. Otherwise it may be refused, and then nothing has changed.
 */
type Tried = readonly [
  args: string,
  worked: (agent: InstalledAgent, ran: Ran) => boolean | undefined,
  more?: { readonly input?: string; readonly never?: 'refused'; readonly code?: number },
]
const commands: readonly Tried[] = [
  ['status', (_, { out }) => out.includes(diskSpace), { never: 'refused' }],
  ['why', (_, { out }) => out.includes(diskSpace), { never: 'refused' }],
  ['doctor --offline', (_, { out }) => out.includes('BAD  Disk'), { never: 'refused', code: 1 }],
  ['logs output', (_, { out }) => out.includes('works'), { never: 'refused' }],
  ['logs svc', (_, { out }) => out.includes('started the agent'), { never: 'refused' }],
  ['settings', anywhere, { never: 'refused' }],
  ['secrets list', anywhere, { never: 'refused' }],
  ['pause', ({ paused }) => existsSync(paused), { never: 'refused' }],
  ['resume', ({ paused }) => !existsSync(paused), { never: 'refused' }],
  ['run-now', ({ runNow }) => existsSync(runNow)],
  ['set every=30', (agent) => settingsOf(agent).every === 30],
  [
    'secrets set EXTRA_KEY',
    ({ secrets }) => readEnv(secrets).get('EXTRA_KEY') === 'extra value',
    { input: 'extra value' },
  ],
  ['secrets unset EXTRA_KEY', ({ secrets }) => !readEnv(secrets).has('EXTRA_KEY')],
  ['account set --org Example', (agent) => readAccount(agent)?.org === 'Example'],
  ['pin-runtime 9.9.9', ({ runtimePin }) => existsSync(runtimePin)],
  ['pin-runtime off', ({ runtimePin }) => !existsSync(runtimePin)],
  ['unhold', anywhere],
  ['restart', (agent) => whoHolds(agent, 'runtime') !== undefined],
  ['stop', (agent) => !whoHolds(agent, 'runtime') && !isAlive(agent), { never: 'refused' }],
  ['report --once', anywhere, { never: 'refused' }],
  ['start', (agent) => whoHolds(agent, 'runtime') !== undefined],
  ['stop', (agent) => !whoHolds(agent, 'runtime'), { never: 'refused' }],
  ['remove --yes', ({ svc: folder }) => !existsSync(folder), { never: 'refused' }],
]

/**
 * The commands that stop or explain, and one that is refused. `npm test` tries only these in a folder without a
 * reserve.
 */
const stopOrExplain = commands.filter(([words, , more]) => more?.never || words === 'start')

/** The commands that write nothing. While another program takes what is freed, `npm test` tries only the others. */
const reading = ['status', 'why', 'doctor --offline', 'logs output', 'logs svc', 'settings', 'secrets list']
const writing = commands.filter(([words]) => !reading.includes(words))

/** The files of state. None of them may ever be shorter than before because a write failed. */
const sizes = (agent: InstalledAgent): Record<string, number> =>
  Object.fromEntries(
    [agent.env, agent.secrets, agent.settings, agent.commands, agent.changes, agent.process, agent.install]
      .filter((file) => existsSync(file))
      .map((file) => [file, statSync(file).size]),
  )

/** Takes all space, or all inodes, as soon as it is free, until it is ended. */
function greedy(root: string, scarce: Scarce): ChildProcess {
  const program = `const fs = require('node:fs')
const [root, scarce] = process.argv.slice(1)
fs.mkdirSync(root + '/filler', { recursive: true })
const fd = fs.openSync(root + '/filler/greedy', 'a')
for (let n = 0; ; n++) {
  try {
    if (scarce === 'bytes') fs.writeSync(fd, Buffer.alloc(4096))
    else fs.closeSync(fs.openSync(root + '/filler/greedy-' + n, 'wx'))
  } catch {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
  }
}`
  const child = spawn(process.execPath, ['-e', program, root, scarce], { stdio: 'ignore' })
  afterThisTest(() => child.kill('SIGKILL'))
  return child
}

const both: Scarce[] = ['bytes', 'inodes']

/**
 * Runs the commands in order, each on a full disk; `before` is called before it is filled. Returns the commands that
 * were refused. Each has either worked, or changed nothing.
 */
async function runAll(
  { agent, disk, run }: World,
  { before, tried = commands }: { before?: () => void; tried?: readonly Tried[] } = {},
): Promise<string[]> {
  const refused: string[] = []
  const table: string[] = []
  for (const [words, worked, { input, never, code = 0 } = {}] of tried) {
    before?.()
    disk.fill()
    const size = sizes(agent)
    const ran = await run(words.split(' '), input)
    table.push(`${words}: ${ran.code} ${(ran.out + ran.err).trim().split('\n').at(-1)}`)
    expect(`${ran.out}${ran.err}`, words).not.toMatch(/^\s+at .*:\d+:\d+/m)
    if (ran.code === code) {
      expect(worked(agent, ran), `${words} has worked: ${ran.out}`).toBe(true)
      continue
    }
    expect(never, `${words} was refused: ${ran.err}`).not.toBe('refused')
    expect(ran.err, words).toContain(disk.root)
    expect(ran.err, words).toContain('Remove what nobody needs')
    expect(sizes(agent), words).toEqual(size)
    refused.push(words)
  }
  if (process.env.SVC_TEST_SHOW) process.stdout.write(`${table.join('\n')}\n`)
  return refused
}

/** True if the process that the note names exists. Without room, the note may still name one that has ended. */
const isAlive = (agent: InstalledAgent): boolean => {
  const pid = pidOf(agent)
  return pid !== undefined && identityOf(pid) !== undefined
}

async function runningWorld(scarce: Scarce): Promise<World> {
  const all = await world(scarce)
  expect(await all.run(['start'])).toMatchObject({ code: 0, err: '' })
  await becomes('a report', () => existsSync(all.agent.outbox))
  return all
}

/** A running agent may fill its reserve again while the folder is removed. */
const removeReserve = ({ svc: folder }: InstalledAgent) =>
  rmSync(join(folder, 'reserve'), { recursive: true, maxRetries: 20, retryDelay: 10 })

describe.skipIf(missing !== undefined)('a file system of 24 MB', () => {
  describe.each(byLevel<Scarce[]>(['bytes'], both, both))('without %s', (scarce) => {
    test.skipIf(level === 'short')(
      'every command works by means of the reserve, which is complete again when there is room',
      async () => {
        const all = await runningWorld(scarce)
        const refill = () => {
          all.disk.free()
          if (existsSync(all.agent.svc)) fillReserve(all.agent.svc)
        }
        expect(await runAll(all, { before: refill })).toEqual([])
      },
    )

    test('while another program takes what is freed, each command works or changes nothing', async () => {
      const all = await runningWorld(scarce)
      all.disk.fill()
      greedy(all.disk.root, scarce)
      await runAll(all, { tried: byLevel(writing, commands, commands) })
    })

    test.skipIf(level === 'short')(
      'in a folder without a reserve, as an earlier version leaves it, what stops or explains still works',
      async () => {
        const all = await runningWorld(scarce)
        all.disk.fill()
        removeReserve(all.agent)
        expect(await runAll(all, { tried: byLevel(stopOrExplain, commands, commands) })).toContain('start')
      },
    )

    test.skipIf(level === 'short')(
      'a command from the page is carried out, or its ack says why not, and the report says that the disk is full',
      async () => {
        const { service, agent, disk } = await runningWorld(scarce)
        const send = async (id: string, type: string, payload = {}) => {
          service.next.push(often(command(id, type, payload)))
          return becomes(`an ack of ${id}`, () =>
            service.reports.flatMap((r) => r.report.acks ?? []).find((a) => a.id === id),
          )
        }
        const last = () => service.reports.at(-1)?.report.health?.find(({ name }) => name === diskSpace)
        service.usual = often()
        disk.fill()
        expect(await send('first', 'set', { every: 20 }), 'from the reserve').toMatchObject({ ok: true })
        await becomes('a report about the full disk', () => last()?.level === 'bad')
        expect(last()?.detail).toContain(`The file system at ${disk.root} is full`)

        disk.fill()
        removeReserve(agent)
        disk.fill()
        const before = sizes(agent)
        const ack = await send('second', 'set', { every: 30 })
        expect(settingsOf(agent).every, 'done as the ack says').toBe(ack.ok ? 30 : 20)
        if (!ack.ok) expect(ack.message).toMatch(/^Nothing was done: .*Remove what nobody needs/)
        const paused = await send('third', 'pause')
        expect(existsSync(agent.paused), 'done as the ack says').toBe(paused.ok)
        // The journal is left out, because it becomes shorter when an ack was delivered.
        const { [agent.commands]: _, ...others } = sizes(agent)
        expect(before, 'no file is shorter').toMatchObject(ack.ok || paused.ok ? {} : others)

        disk.free()
        await becomes('a report with room again', () => last()?.level === 'warn')
        expect(await send('fourth', 'set', { every: 40 })).toMatchObject({ ok: true })
        expect(settingsOf(agent).every).toBe(40)
        const journal = await becomes('a whole journal', () => {
          const all = readJournal(agent)
          return all.every(({ owed }) => !owed) && all
        })
        expect(journal.map(({ id, ok }) => [id, ok])).toEqual([
          ['first', true],
          ['second', ack.ok],
          ['third', paused.ok],
          ['fourth', true],
        ])
      },
    )
  })
})
