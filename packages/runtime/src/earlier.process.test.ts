/**
 * Tests that the current runtime runs folders which an earlier version of svc left (testing/earlier). The runtime must
 * understand the notes in these folders and act accordingly.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { becomes, starts, svc } from '../testing/folder.ts'
import { agentIn, type InstalledAgent } from '../testing/installed.ts'
import { answer, command, json, type Service, startService } from '../testing/service.ts'

let service: Service
let agent: InstalledAgent
beforeEach(async () => {
  service = await startService()
})
afterEach(async () => {
  agent.remove()
  await service.close()
})

/** Unpacks a folder that an earlier version left, and connects it to the test's service. */
function placed(name: string): InstalledAgent {
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'svc-earlier-')))
  execFileSync('tar', ['-xzf', join(import.meta.dirname, `../testing/earlier/${name}.tgz`), '-C', above])
  const root = join(above, 'mail')
  const file = join(root, '.svc/agent.env')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^SVC_URL=.*$/m, `SVC_URL=${service.origin}`))
  return agentIn(root, above)
}

const last = () => service.reports.at(-1)?.report

test('a paused agent with a version on hold stays paused, keeps the hold and its settings, and continues when resumed', async () => {
  agent = placed('held-paused')
  const wanted = { commands: [], interval: 30, desired: { blueprint: 'mail-triage', version: '1.2.0' } }
  // This is the id of a command that the earlier version has already applied. The service sends the command again, as
  // if the ack had been lost.
  const repeated = '01a2038f-d6a0-70c7-88c5-29ef73c36603'
  service.next.push(answer(command(repeated, 'set', { every: 60 })))
  service.usual = json(wanted)

  const status = await svc(agent, ['status'])
  expect(status.out).toMatch(/Paused since 2026-11-22 14:03:16 UTC/)
  expect(status.out).toContain('1.2.0 is on hold')

  const runtime = starts(agent, ['run'], { scale: 0.05 })
  const first = (await service.reported(1)).report
  expect(first).toMatchObject({
    state: { label: 'Paused' },
    settings: { values: { every: 25, note: null } },
    applied: {
      version: '1.1.0',
      outcome: 'rolled_back',
      message: expect.stringContaining('1.2.0 -> 1.1.0, 2026-11-22T14:03:12.884Z'),
    },
  })
  expect((await service.reported(2)).report.acks).toEqual([{ id: repeated, ok: true, message: 'Set every = 25.' }])
  await service.reported(4)
  expect(service.others).toEqual([])

  expect((await svc(agent, ['resume'])).code).toBe(0)
  await becomes('a report of the running agent', () => last()?.state?.label === 'Works')
  expect(last()).toMatchObject({ state: { level: 'ok' }, agent: { version: '1.1.0' } })
  expect(last()?.settings?.values).toEqual({ every: 25, note: null })
  expect(await runtime.end()).toEqual({ code: 0, signal: null })
})

test('an agent that was killed in the window of an update continues with the new version, and can be rolled back', async () => {
  agent = placed('window-1.1.0')
  const runtime = starts(agent, ['run'], { scale: 0.05 })
  await becomes('a report of the running agent', () => last()?.state?.label === 'Works')
  expect(last()).toMatchObject({ agent: { version: '1.1.0' }, applied: { version: '1.1.0', outcome: 'ok' } })
  expect((await svc(agent, ['rollback'])).code).toBe(0)
  await becomes('a report of the version before', () => last()?.agent?.version === '1.0.0')
  await becomes('a report of the running agent', () => last()?.state?.detail === '1.0.0')
  expect(last()).toMatchObject({ applied: { version: '1.0.0', outcome: 'rolled_back' } })
  expect(await runtime.end()).toEqual({ code: 0, signal: null })
})
