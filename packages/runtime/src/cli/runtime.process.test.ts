/**
 * Tests the commands for the runtime itself on a machine without a service: pin its version, roll it back, and show why
 * it runs its version (3.5, 2.6).
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { agentFolder, becomes, manifestText, starts, svc } from '../../testing/folder.ts'
import { type Build, installRuntime, openWorkshop, serveRelease, type Workshop } from '../../testing/releases.ts'
import { startService } from '../../testing/service.ts'
import { keepPrevious, putInPlace } from '../launcher/keeper.ts'
import { sha256OfFile } from '../machine/files/sha256.ts'
import { readRuntimeNote, writeRuntimeNote } from '../state/versions/runtime-note.ts'

let shop: Workshop
let one: Build
let two: Build
beforeAll(async () => {
  shop = openWorkshop()
  one = await shop.build('1.0.0')
  two = await shop.build('2.0.0')
})
afterAll(() => shop.remove())
let folder: ReturnType<typeof agentFolder>
beforeEach(() => {
  folder = agentFolder({ 'svc.agent.yaml': manifestText })
})
afterEach(() => folder.remove())

/** Prepares the agent's folder as it is after an update of the runtime from 1.0.0 to 2.0.0. */
function updated(): void {
  installRuntime(folder, one)
  keepPrevious(folder, folder.runtime)
  installRuntime({ ...folder, runtime: `${folder.runtime}.staged` }, two)
  putInPlace(folder, `${folder.runtime}.staged`)
}

test('svc pin-runtime pins a version, says which one runs, and can be undone', async () => {
  updated()
  expect((await svc(folder, ['pin-runtime', '1.5.0'])).out).toBe('Pinned to 1.5.0; 2.0.0 runs now.\n')
  const status = JSON.parse((await svc(folder, ['status', '--json'])).out)
  expect(status.runtime).toMatchObject({ version: '2.0.0', previous: '1.0.0', pinned: '1.5.0' })
  expect((await svc(folder, ['why'])).out).toContain('It is pinned to 1.5.0')
  const off = await svc(folder, ['pin-runtime', 'off', '--json'])
  expect(JSON.parse(off.out)).toEqual({ pinned: null, changed: true, version: '2.0.0' })
  for (const wrong of ['../x', 'x'.repeat(65)])
    expect(await svc(folder, ['pin-runtime', wrong]), wrong).toMatchObject({ code: 2, out: '' })
  expect(existsSync(folder.runtimePin)).toBe(false)
})

test('rollback-runtime without a running runtime rolls back with one rename, and holds the version', async () => {
  updated()
  const back = await svc(folder, ['rollback-runtime'])
  expect(back).toMatchObject({ code: 0 })
  expect(back.out).toContain('svc 1.0.0 is back. 2.0.0 is on hold')
  expect(sha256OfFile(folder.runtime)).toBe(one.sha256)
  expect(readRuntimeNote(folder)).toMatchObject({ applied: { version: '1.0.0', outcome: 'rolled_back' } })
  expect((await svc(folder, ['status'])).out).toContain('1.0.0; 2.0.0 is on hold')
  const again = await svc(folder, ['rollback-runtime'])
  expect(again).toMatchObject({ code: 1 })
  expect(again.err).toContain('nothing to go back to')
})

test('a file that a person puts in place after a rollback is no longer on hold', async () => {
  updated()
  await svc(folder, ['rollback-runtime'])
  expect((await svc(folder, ['why'])).out).toContain('svc 2.0.0 is on hold')
  installRuntime(folder, two)
  const { out } = await svc(folder, ['why'])
  expect(out).toContain('Its runtime is svc 2.0.0')
  expect(out).not.toContain('is on hold until')
})

test('rollback-runtime ends a trial that a killed runtime left', async () => {
  updated()
  const release = ({ version, sha256 }: Build) => ({ version, sha256 })
  const trial = { from: release(one), to: release(two), starts: 1, began: Date.now(), processes: 1 }
  writeRuntimeNote(folder, { trial: { is: 'trying', ...trial } })
  expect((await svc(folder, ['why'])).out).toContain('svc 2.0.0 is being tested')
  expect(await svc(folder, ['rollback-runtime'])).toMatchObject({ code: 0 })
  expect(sha256OfFile(folder.runtime)).toBe(one.sha256)
})

test('svc report and a runtime from source replace nothing, and report that as the outcome', async () => {
  const service = await startService()
  try {
    const files = { '.svc/agent.env': `SVC_URL=${service.origin}\nSVC_TOKEN=svc_agt_${'A'.repeat(43)}\n` }
    const agent = agentFolder(files)
    mkdirSync(agent.journal, { recursive: true })
    const asked = serveRelease(service, { version: '2.0.0', bytes: two.bytes, sig: shop.sign(two.bytes) })
    const running = starts(agent, ['report'], { scale: 0.02 })
    try {
      const last = await becomes('an outcome', () => service.reports.at(-1)?.report.runtime?.applied)
      expect(last).toMatchObject({
        version: 'dev',
        outcome: 'failed',
        message: expect.stringContaining('"svc report"'),
      })
      const count = service.reports.length
      await service.reported(count + 3)
      expect(service.reports.at(-1)?.report.runtime?.applied, 'said once').toEqual(last)
      expect(asked).toEqual([])
      expect(readFileSync(agent.runtimeNote, 'utf8')).toContain('"hold"')
    } finally {
      await running.end()
      agent.remove()
    }
  } finally {
    await service.close()
  }
})
