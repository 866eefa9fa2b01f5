/**
 * Tests old status files and frozen processes (D65) and last reports (D66), with real programs and a scripted service.
 * `npm test` leaves this out. packages/runtime/src/reporter/status/age.test.ts proves the same rules.
 */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { agentFolder, becomes, reporter, starts, svc } from '../../../testing/folder.ts'
import { installedAgent } from '../../../testing/installed.ts'
import { json, type Service, startService } from '../../../testing/service.ts'
import { readNote } from '../../state/process-note.ts'

async function service(): Promise<Service> {
  const started = await startService()
  started.usual = json({ commands: [], interval: 5 })
  started.other = json({ id: 'ws-1' })
  afterThisTest(() => started.close())
  return started
}
const healthOf = (good: Service, name: string) => good.reports.at(-1)?.report.health?.find((item) => item.name === name)
const said = JSON.stringify({ state: { level: 'ok', label: 'Working' }, active: [{ kind: 'triage' }] })

/**
 * Makes the folder of an agent that was connected by hand, whose status file was written this many minutes ago; `usual`
 * is the gap between two writes that was learned, in seconds, or null if only one write was seen.
 */
function written(good: Service, minutes: number, usual?: number | null) {
  const agent = agentFolder({ 'state/status.json': said }, good.origin)
  afterThisTest(() => agent.remove())
  const now = Date.now()
  const at = now - minutes * 60_000
  utimesSync(`${agent.root}/state/status.json`, at / 1000, at / 1000)
  if (usual !== undefined) {
    mkdirSync(agent.journal, { recursive: true })
    const learned = usual === null ? {} : { last: usual * 1000 }
    const writes = { mtime: at, at, looked: now - 60_000, longest: [], ...learned }
    writeFileSync(agent.statusWrites, JSON.stringify(writes))
  }
  return agent
}

test('a status file that nobody writes is reported with its time, and becomes a warning once the usual gap is known (D65)', async () => {
  const good = await service()
  const frozen = written(good, 13, 30)
  expect((await svc(frozen, ['report', '--once'])).code).toBe(0)
  const { report } = good.reports[0] ?? {}
  expect(Math.abs(Date.now() / 1000 - 13 * 60 - (report?.status_at ?? 0))).toBeLessThan(60)
  expect(healthOf(good, 'Status file')).toMatchObject({
    level: 'warn',
    detail: expect.stringContaining('Written 13 min ago'),
  })

  const { out: status } = await svc(frozen, ['status'])
  expect(status).toMatch(/State\s+Working \(ok, as of 13 min ago\)/)
  expect(status).toMatch(/Running\s+triage \(as of 13 min ago\)/)
  expect(status).toMatch(/Health\s+warn Status file: Written 13 min ago/)
  expect((await svc(frozen, ['why'])).out).toMatch(/Health warn: Status file.? Written 13 min ago/)
  expect((await svc(frozen, ['doctor', '--offline'])).out).toMatch(/BAD\s+Status file: .*Written 13 min ago/)
})

test('a status file that was written once and never again becomes a warning (D67)', async () => {
  const good = await service()
  const agent = written(good, 76, null)
  expect((await svc(agent, ['report', '--once'])).code).toBe(0)
  expect(good.reports[0]?.report.status_old).toBe(true)
  const detail = 'Written 76 min ago. Nothing has written it again, so what it says may no longer be true.'
  expect(healthOf(good, 'Status file')).toEqual({ name: 'Status file', level: 'warn', detail })
  expect((await svc(agent, ['status'])).out).toContain(`warn Status file: ${detail}`)
  expect((await svc(agent, ['doctor', '--offline'])).out).toMatch(/BAD\s+Status file: .*Written 76 min ago/)
})

test('the status of an agent that writes once a day is reported with its time and causes no warning (D65)', async () => {
  const good = await service()
  const daily = written(good, 14 * 60, 24 * 3600)
  await svc(daily, ['report', '--once'])
  expect(good.reports[0]?.report.status_old).toBe(false)
  expect(healthOf(good, 'Status file')).toEqual({ name: 'Status file', level: 'info', detail: 'Written 14 h ago.' })
  const { out } = await svc(daily, ['doctor', '--offline'])
  expect(out).toMatch(/ok\s+Status file: .*Written 14 h ago/)
})

test('while the agent is paused the age of its status means nothing (D65)', async () => {
  const good = await service()
  const agent = written(good, 13, 30)
  await svc(agent, ['pause'])
  await svc(agent, ['report', '--once'])
  expect(good.reports[0]?.report.status_at).toBeUndefined()
  expect(healthOf(good, 'Status file')).toBeUndefined()
  expect((await svc(agent, ['doctor', '--offline'])).out).not.toContain('Status file')
})

test('what was learned about the writes is kept for the next reporter', async () => {
  const good = await service()
  const agent = written(good, 0, 30)
  const first = reporter(agent, 0.05)
  afterThisTest(() => first.end('SIGKILL'))
  await good.reported(2)
  await first.end()
  const late = Date.now() / 1000 - 11 * 60
  await svc(agent, ['report', '--once'])
  utimesSync(`${agent.root}/state/status.json`, late, late)
  expect(good.reports.at(-1)?.report.status_at).toBeDefined()
  expect((await svc(agent, ['doctor', '--offline'])).out).toMatch(/BAD\s+Status file/)
})

test.runIf(process.platform === 'linux')(
  'a process that is stopped by a signal does not count as running, in the report and on the machine (D65)',
  async () => {
    const good = await service()
    const agent = await installedAgent(good)
    afterThisTest(() => agent.remove())
    const running = starts(agent, ['run'], { scale: 0.05 })
    afterThisTest(() => running.end('SIGKILL'))
    await becomes('a running process', () => healthOf(good, 'Process')?.level === 'ok')
    const state = readNote(agent)?.state
    const pid = state && 'pid' in state ? state.pid : 0
    process.kill(pid, 'SIGSTOP')
    afterThisTest(() => process.kill(pid, 'SIGCONT'))
    await becomes('a warning', () => healthOf(good, 'Process')?.level === 'warn')
    expect(healthOf(good, 'Process')?.detail).toContain('state T')
    expect((await svc(agent, ['status'])).out).toContain('is stopped by a signal (state T)')
    expect((await svc(agent, ['why'])).out).toContain('is stopped by a signal (state T)')
    expect((await svc(agent, ['doctor', '--offline'])).out).toMatch(/BAD\s+Process: .*state T/)
    process.kill(pid, 'SIGCONT')
    await becomes('a running process', () => healthOf(good, 'Process')?.level === 'ok')
  },
)

test('svc stop sends one last report that says who stopped it, after the agent has ended (D66)', async () => {
  const good = await service()
  const agent = await installedAgent(good)
  afterThisTest(() => agent.remove())
  const running = starts(agent, ['run'], { scale: 0.05 })
  afterThisTest(() => running.end('SIGKILL'))
  await becomes('a running process', () => healthOf(good, 'Process')?.level === 'ok')
  expect((await svc(agent, ['stop'])).code).toBe(0)
  const last = good.reports.at(-1)?.report
  expect(last).toMatchObject({ stopped: 'person', state: { level: 'info', label: 'Not running' } })
  expect(last?.state?.detail).toMatch(/^Stopped on this machine by /)
  expect(last?.status_at).toBeUndefined()
  expect(good.reports.filter(({ report }) => report.stopped !== undefined)).toHaveLength(1)

  const again = starts(agent, ['run'], { scale: 0.05 })
  afterThisTest(() => again.end('SIGKILL'))
  const count = good.reports.length
  await good.reported(count + 1)
  expect(good.reports.at(-1)?.report.stopped).toBeUndefined()
  await becomes('a running process', () => healthOf(good, 'Process')?.level === 'ok')
  await again.end('SIGTERM')
  expect(good.reports.at(-1)?.report).toMatchObject({ stopped: 'signal', state: { label: 'Not running' } })
})

test('Ctrl-C at a reporter counts as a person, and a hanging service delays its end for the grace period at most (D66)', async () => {
  const good = await service()
  const agent = written(good, 0)
  const first = reporter(agent, 0.05)
  afterThisTest(() => first.end('SIGKILL'))
  await good.reported(1)
  await first.end('SIGINT')
  expect(good.reports.at(-1)?.report.stopped).toBe('person')

  const second = reporter(agent, 0.05)
  afterThisTest(() => second.end('SIGKILL'))
  await good.reported(good.reports.length + 1)
  good.usual = () => {}
  expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(good.reports.filter(({ report }) => report.stopped === 'signal').length).toBeLessThanOrEqual(1)
})
