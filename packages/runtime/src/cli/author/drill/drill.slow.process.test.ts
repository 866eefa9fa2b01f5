/**
 * Tests `svc drill`, which rehearses an update as it really happens and leaves the installed agent unchanged. `npm
 * test` leaves this out. packages/runtime/src/updates/agent/update.process.test.ts proves the same rules.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../../testing/cleaning.ts'
import { becomes, starts, svc, token } from '../../../../testing/folder.ts'
import { type InstalledAgent, installedAgent, password } from '../../../../testing/installed.ts'
import { startService } from '../../../../testing/service.ts'
import { identityOf } from '../../../machine/process/identity.ts'
import { folderChecksum } from './rehearse.ts'

async function newSetup(files: Readonly<Record<string, string>> = {}) {
  const service = await startService()
  afterThisTest(() => service.close())
  const agent = await installedAgent(service, files)
  afterThisTest(() => agent.remove())
  const tmp = realpathSync(mkdtempSync(join(tmpdir(), 'svc-drills-')))
  afterThisTest(() => rmSync(tmp, { recursive: true, force: true }))
  await service.close() // A drill needs no service.
  return { agent, tmp }
}
async function drills(agent: InstalledAgent, tmp: string, ...args: string[]) {
  const before = folderChecksum(agent.root)
  const ran = await svc(agent, ['drill', '--json', ...args], { env: { TMPDIR: tmp, SVC_TIME_SCALE: '0.1' } })
  expect(folderChecksum(agent.root), 'the installed agent is as it was').toBe(before)
  const { ok, from, to, steps, copy } = JSON.parse(ran.out)
  const did = Object.fromEntries(steps.map((s: { name: string; did: string }) => [s.name, s.did]))
  return { ...ran, ok, from, to, did, copy, steps }
}

test('nothing is started without being asked: the copy goes through a real update and rollback, without token and secrets', async () => {
  const { agent, tmp } = await newSetup()
  writeFileSync(join(agent.state, 'memory.json'), '{"seen": 7}\n')
  const drilled = await drills(agent, tmp, '--keep', '--with-state')
  expect(drilled).toMatchObject({ code: 0, err: '', ok: true, from: '1.4.0', to: '1.4.0+drill' })
  expect(drilled.did).toEqual({
    fetch: 'left out',
    stage: 'done',
    swap: 'done',
    prove: 'left out',
    watch: 'left out',
    'roll back': 'done',
    state: 'done',
  })
  const { copy } = drilled
  const journal = JSON.parse(readFileSync(join(copy, '.svc/journal/update.json'), 'utf8'))
  expect(journal).toMatchObject({
    state: 'idle',
    running: { version: '1.4.0' },
    applied: { outcome: 'rolled_back', version: '1.4.0' },
    hold: { version: '1.4.0+drill' },
  })
  expect(readdirSync(join(copy, 'versions')).length).toBe(2)
  expect(readFileSync(join(copy, 'state/memory.json'), 'utf8')).toBe('{"seen": 7}\n')
  for (const name of ['agent.env', 'secrets.env'])
    expect(readFileSync(join(copy, '.svc', name), 'utf8')).not.toMatch(new RegExp(`${token}|${password}`))
  expect(existsSync(join(copy, 'state/starts'))).toBe(false)
})

test('a drill tells a person what would happen and what did happen, and leaves nothing behind', async () => {
  const { agent, tmp } = await newSetup()
  const { code, out } = await svc(agent, ['drill'], { env: { TMPDIR: tmp } })
  expect(code).toBe(0)
  expect(out).toMatch(/^- {3} fetch .* Left out: a drill asks nobody\.$/m)
  expect(out).toMatch(/^ok {3}swap .* Done: "current" led to 1\.4\.0\+drill\.$/m)
  expect(out).toContain('An update and its rollback would work on this machine.')
  expect(readdirSync(tmp)).toEqual([])
})

test('with --start the agent is really started, restarted on the other version, proved, and rolled back; none of its processes survive', async () => {
  const { agent, tmp } = await newSetup()
  const { code, did, copy, steps } = await drills(agent, tmp, '--start', '--keep')
  expect(did, JSON.stringify(steps)).toEqual({
    fetch: 'left out',
    start: 'done',
    stage: 'done',
    swap: 'done',
    prove: 'done',
    watch: 'left out',
    'roll back': 'done',
    state: 'left out',
  })
  expect(code).toBe(0)
  const starts: { pid: number; cwd: string; env: Record<string, string> }[] = readFileSync(
    join(copy, 'state/starts'),
    'utf8',
  )
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const [first, second, third] = starts.map((s) => s.cwd)
  expect(starts).toHaveLength(3)
  expect([second === first, third === first]).toEqual([false, true])
  expect(starts.map((s) => s.env.MAIL_PASSWORD)).toEqual([password, password, password])
  expect(JSON.stringify(starts)).not.toContain(token)
  expect(starts.filter((s) => identityOf(s.pid))).toEqual([])
})

test('a drill detects an agent that would not prove itself', async () => {
  const { agent, tmp } = await newSetup({
    'main.cjs': `const fs = require('node:fs'); fs.writeFileSync(process.env.SVC_STATE_DIR + '/status.json', '{"state":{"level":"bad","label":"Broken","detail":"no disk"}}'); setInterval(() => {}, 1000)`,
  })
  const { code, ok, did, steps } = await drills(agent, tmp, '--start')
  expect([code, ok, did.prove]).toEqual([1, false, 'failed'])
  expect(steps.at(-1).message).toContain('no disk')
  expect(existsSync(join(agent.state, 'status.json'))).toBe(false)
  expect(readdirSync(tmp)).toEqual([])
})

test('a folder that was not installed from a blueprint has nothing to rehearse', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-hand-')))
  afterThisTest(() => rmSync(root, { recursive: true, force: true }))
  writeFileSync(join(root, 'svc.agent.yaml'), 'name: by-hand\nversion: 0.1.0\n')
  const { code, err } = await svc({ root } as InstalledAgent, ['drill'])
  expect([code, err]).toEqual([1, expect.stringContaining('was not installed from a blueprint')])
})

test('a drill that is killed leaves no agent running, and no copy with its secrets', async () => {
  const { agent, tmp } = await newSetup()
  const drill = starts(agent, ['drill', '--start'], { scale: 0.1, env: { TMPDIR: tmp } })
  afterThisTest(() => drill.end('SIGKILL'))
  const pid = Number(/process (\d+)/.exec(await drill.said('started the agent'))?.[1])
  expect(identityOf(pid)).toBeDefined()
  afterThisTest(() => identityOf(pid) && process.kill(-pid, 'SIGKILL'))
  expect(readdirSync(tmp)).toHaveLength(1)
  await drill.end('SIGKILL')
  await becomes('the rehearsed agent ended', () => identityOf(pid) === undefined)
  await becomes('its copy is removed', () => readdirSync(tmp).length === 0)
})
