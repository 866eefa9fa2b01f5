import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { forgetLines } from '../jobs/seen.ts'
import { watchedJobs } from './jobs-section.ts'
import { statusNow } from './watch.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-host-'))
  vi.stubEnv('PATH', `${root}:${process.env.PATH}`)
  crontab('0 3 * * * svc-exec backup -- ./backup.sh --password=secret')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

const places = () => ({ state: join(root, 'state'), jobs: join(root, 'state/jobs') })
const seen = () => JSON.parse(readFileSync(join(root, 'state/seen.json'), 'utf8'))

/** Puts a stand-in for `crontab` first in the search path. It prints this table, and ends with this code. */
function crontab(table: string, code = 0): void {
  writeFileSync(join(root, 'crontab'), `#!/bin/sh\ncat <<'END'\n${table}\nEND\nexit ${code}\n`)
  chmodSync(join(root, 'crontab'), 0o755)
}

test('the status of now is known before the folder of the host agent is there, and nothing is written', async () => {
  const status = await statusNow(places(), { jobs: true })
  expect(status.state).toEqual({ level: 'info', label: '1 job, all well' })
  expect(status.health).toMatchObject([{ name: 'Job backup', detail: expect.stringContaining('never ran') }])
  expect(await statusNow({ state: join(root, 'state'), jobs: undefined }, { jobs: true })).toMatchObject({ runs: [] })
  expect(await statusNow(places(), { jobs: false })).toMatchObject({ health: [], state: { label: 'nothing is shown' } })
  expect(existsSync(places().state)).toBe(false)
})

test('the host agent remembers when it first saw a schedule, and no text of the crontab', async () => {
  mkdirSync(places().jobs, { recursive: true })
  const section = watchedJobs(places(), () => 0)
  await section.refresh()
  section.look(Date.now())
  const first = seen()
  expect(first.lines).toEqual([{ name: 'backup', cron: '0 3 * * *', since: expect.any(Number) }])
  expect(first.woke).toBeGreaterThan(1e9)
  expect(JSON.stringify(first)).not.toContain('secret')
  expect(statSync(join(root, 'state/seen.json')).mode & 0o777).toBe(0o600)

  writeFileSync(
    join(root, 'state/seen.json'),
    JSON.stringify({ ...first, lines: [{ ...first.lines[0], since: 1000 }] }),
  )
  const restarted = watchedJobs(places(), () => 0)
  crontab('0 3 * * * svc-exec backup -- x\n0 4 * * * svc-exec mail -- x')
  await restarted.refresh()
  expect(seen().lines.map(({ since }: { since: number }) => since > 1000)).toEqual([false, true])

  crontab('0 5 * * * svc-exec other -- x', 1)
  await restarted.refresh()
  expect(seen().lines).toHaveLength(2)
  const { health } = restarted.look(Date.now())
  expect(health.at(-1)).toMatchObject({ name: 'Crontab', level: 'warn' })
})

test('a machine that slept is noticed by its two clocks', () => {
  mkdirSync(places().jobs, { recursive: true })
  const boot = Date.now()
  let mono = 0
  const section = watchedJobs(places(), () => mono)
  const wokeAfter = (wallMs: number, monoMs: number) => {
    mono = monoMs
    section.look(boot + wallMs)
    return seen().woke
  }
  const first = wokeAfter(0, 0)
  expect(first).toBeLessThanOrEqual(boot / 1000)
  expect(wokeAfter(5000, 5000)).toBe(first)
  expect(wokeAfter(125_000, 6000)).toBe(first)
  expect(wokeAfter(3_600_000, 11_000)).toBe(Math.floor((boot + 3_600_000) / 1000))
  expect(wokeAfter(3_605_000, 16_000)).toBe(Math.floor((boot + 3_600_000) / 1000))
  const again = watchedJobs(places(), () => 0)
  again.look(boot + 3_700_000)
  expect(seen().woke).toBe(Math.floor((boot + 3_600_000) / 1000))
})

test('a machine that gets another zone is noticed while the host agent runs, and by the next one', async () => {
  mkdirSync(places().jobs, { recursive: true })
  let zone = 'Europe/Berlin'
  const section = watchedJobs(
    places(),
    () => 0,
    () => zone,
  )
  const at = Date.now()
  section.look(at)
  await section.refresh()
  expect(seen()).toMatchObject({ zone: 'Europe/Berlin' })
  expect(seen()).not.toHaveProperty('zoned')
  zone = 'Asia/Tokyo'
  section.look(at + 5000)
  await section.refresh()
  expect(seen()).toMatchObject({ zone: 'Asia/Tokyo', zoned: Math.floor((at + 5000) / 1000) })
  const next = watchedJobs(
    places(),
    () => 0,
    () => 'UTC',
  )
  next.look(at + 9000)
  expect(seen()).toMatchObject({ zone: 'UTC', zoned: Math.floor((at + 9000) / 1000) })
})

interface Before {
  readonly since?: number
  readonly ran?: boolean
  readonly looked?: boolean
}

/**
 * Each row: the days since the last look, the time that the machine has been on, and the label of a daily job after
 * that.
 */
test.each<[string, number, number, Before, string]>([
  ['a machine that was on, without a host agent', 30, 31, {}, 'ok'],
  ['a machine that was off', 30, 0, {}, 'bad'],
  ['a machine that was off for a night', 1, 0, {}, 'bad'],
  ['a restart of the host agent', 0, 31, { since: 5 }, 'bad'],
  ['a job that was overdue when the host agent ended', 2, 31, { since: 5 }, 'bad'],
  ['a job that never ran', 30, 31, { ran: false }, 'info'],
  ['a note of an earlier version', 30, 31, { looked: false }, 'ok'],
])(
  'after %s, a job is judged by what is known',
  async (_what, gap, up, { since = gap, ran = true, looked = true }, level) => {
    const day = 86_400
    const now = Math.floor(Date.now() / 1000)
    const at = now - gap * day - 1
    mkdirSync(join(places().jobs, 'backup'), { recursive: true })
    const started = now - since * day - 60
    const run = { id: `${started * 1000}-aaaa`, status: 'ok', started, ended: started }
    if (ran) writeFileSync(join(places().jobs, `backup/${run.id}.json`), JSON.stringify(run))
    const cron = `0 ${(new Date(now * 1000).getUTCHours() + 12) % 24} * * *`
    const lines = [{ name: 'backup', cron, since: started }]
    writeFileSync(
      join(root, 'state/seen.json'),
      JSON.stringify({ lines, read: at, ...(looked && { looked: at }), woke: 1 }),
    )
    const section = watchedJobs(
      places(),
      () => 0,
      () => 'UTC',
      () => now - up * day,
    )
    crontab(`${cron} svc-exec backup -- x`)
    await section.refresh()
    // A machine that was off has the grace from its start on.
    const { health } = section.look((now + 3 * 3600) * 1000)
    expect(health[0]?.level).toBe(level)
    expect(seen().looked).toBeGreaterThanOrEqual(now)
  },
)

test('once the agent is removed, its knowledge of the crontab is forgotten', async () => {
  mkdirSync(places().jobs, { recursive: true })
  const section = watchedJobs(places(), () => 0)
  await section.refresh()
  section.look(Date.now())
  expect(seen().lines).toHaveLength(1)
  forgetLines(places().state)
  expect(seen()).toMatchObject({ lines: [], woke: expect.any(Number) })
  forgetLines(join(root, 'missing'))
  expect(existsSync(join(root, 'missing'))).toBe(false)
})

test('a note that cannot be written changes nothing for the section', async () => {
  const section = watchedJobs(places(), () => 0)
  await section.refresh()
  expect(section.look(Date.now()).health).toMatchObject([{ name: 'Job backup', level: 'info' }])
  mkdirSync(places().jobs, { recursive: true })
  section.look(Date.now())
  expect(seen().lines).toHaveLength(1)
})
