/** A real agent updated by a runtime that runs, from a service that is scripted, with real bundles (3.3, D24 to D32). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Packed } from '@svc/blueprint'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../testing/blueprint.ts'
import { becomes, type Running, type StartOptions, starts, svc, token } from '../../testing/folder.ts'
import { type InstalledAgent, installedAgent } from '../../testing/installed.ts'
import { json, type Reply, type Service, startService } from '../../testing/service.ts'
import { expectWhole, learn, offers, serves, versionOf } from '../../testing/updates.ts'
import { readNote } from '../launcher/note.ts'
import { readUpdate } from './journal.ts'

/** A second lasts 20 ms: the window of 30 minutes 36 s, ten minutes 12 s. */
const scale = 0.02
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})
let old: Packed
let next: Packed
beforeAll(async () => {
  old = await learn(await bundle())
  next = await learn(await versionOf('1.5.0', { 'extra.txt': 'new\n' }))
})

async function world(bundles: Readonly<Record<string, Packed | Reply>> = { '1.4.0': old, '1.5.0': next }) {
  const service = await startService()
  service.usual = json({ commands: [], interval: 5 })
  service.other = json({ id: 'ws-1' })
  cleanups.push(() => service.close())
  const agent = await installedAgent(service)
  cleanups.push(() => agent.remove())
  return { service, agent, offered: offers(service, bundles) }
}
const runs = (agent: InstalledAgent, options: StartOptions = {}): Running => {
  const running = starts(agent, ['run'], { scale, ...options })
  cleanups.push(() => running.end('SIGKILL'))
  return running
}
const reportWhere = (
  service: Service,
  what: string,
  holds: (report: Service['reports'][number]['report']) => unknown,
) => becomes(what, () => service.reports.find((r) => holds(r.report))?.report)
const lastReport = (service: Service) => service.reports.at(-1)?.report
const settles = (agent: InstalledAgent, what: string, state: string) =>
  becomes(what, () => readUpdate(agent)?.state === state && readUpdate(agent))

test('the wished version is fetched with the token, put in place, proved and kept; the one before stays whole', async () => {
  const { service, agent, offered } = await world()
  const running = runs(agent)
  await becomes('the old version', () => agent.starts().length === 1)
  offered.wish('1.5.0')
  const report = await reportWhere(service, 'the new version', (r) => r.applied?.version === '1.5.0').catch(
    (e: unknown) => {
      throw new Error(`${e}\n${running.lines.join('\n')}`)
    },
  )
  expect(report.agent?.version).toBe('1.5.0')
  expect(report.applied).toMatchObject({ version: '1.5.0', outcome: 'ok' })
  expect(report.applied?.message).toMatch(/^1\.4\.0 -> 1\.5\.0, .*: kept/)
  expect(expectWhole(agent, [old, next])).toBe('1.5.0')
  expect(offered.asked).toEqual(['1.5.0'])
  expect(service.others.find((c) => c.path.includes('/bundle/'))?.token).toBe(token)
  expect(agent.starts().map((s) => s.cwd.slice(-32))).toEqual([old.sha256.slice(0, 32), next.sha256.slice(0, 32)])
  expect(agent.trace().filter((line) => line === 'ends')).toHaveLength(1)
  expect(readNote(agent)?.version).toBe(next.sha256.slice(0, 32))
  expect(readUpdate(agent)).toMatchObject({ state: 'watching', previous: { version: '1.4.0' } })
  await running.end()
})
