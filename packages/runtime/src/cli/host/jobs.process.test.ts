import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { svc } from '../../../testing/folder.ts'
import { folderAt } from '../../machine/files/folder.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-home-'))
  mkdirSync(join(home, 'bin'))
  crontab('')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const state = () => join(home, '.local/state/svc/host/state')
const jobs = () => join(state(), 'jobs')
const second = Math.floor(Date.now() / 1000)

/** Puts a stand-in for `crontab` first in the search path. It prints this table, or runs this script. */
function crontab(table: string, script = `cat '${home}/table'`): void {
  writeFileSync(join(home, 'table'), table)
  writeFileSync(join(home, 'bin/crontab'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(home, 'bin/crontab'), 0o755)
}

function record(job: string, started: number, more: object = {}): void {
  mkdirSync(join(jobs(), job), { recursive: true })
  const id = `${started * 1000}-aaaa`
  const run = { id, status: 'ok', started, ended: started + 240, exit: 0, ...more }
  writeFileSync(join(jobs(), job, `${id}.json`), JSON.stringify(run))
}

const ran = (...args: string[]) =>
  svc(folderAt(home), ['jobs', ...args], { env: { HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}` } })
const listed = async () => JSON.parse((await ran('--json')).out) as Record<string, unknown>[]

test('without a job, the way to the first one is shown, and nothing is written', async () => {
  const { code, out } = await ran()
  expect([code, out]).toEqual([0, expect.stringContaining('svc-exec NAME --')])
  expect(await listed()).toEqual([])
  expect(existsSync(join(home, '.local'))).toBe(false)
})

test('jobs of the crontab and of records are shown together, the worst first, with the rest', async () => {
  crontab(
    '0 3 * * * svc-exec backup -- ./backup.sh --password=secret\n0 4 * * * svc-exec new -- x\n0 5 * * * svc-exec mail --x',
  )
  record('mail', second - 3600)
  record('backup', second - 3600, { status: 'failed', exit: 3 })
  record('backup', second - 60, { status: 'running', ended: undefined, pid: 2 ** 22 + 1, boot: 'x', start: 1 })
  writeFileSync(join(jobs(), 'mail', '1-cut.json'), '{"id')
  writeFileSync(join(jobs(), 'unrecorded'), `${second - 10} probe no-node\n`)
  const { out, code } = await ran()
  expect(code).toBe(0)
  expect(out).toMatch(
    /^JOB\s+LEVEL\s+STATE\nbackup\s+bad\s+lost, began .*, 2 times in a row\nprobe\s+warn\s+ran .*no Node\n/,
  )
  expect(out).toMatch(/new\s+info\s+never ran; next .*\nmail\s+ok\s+ok .*, took 4 min; next .*\n/)
  expect(out).toMatch(/\(Crontab\)\s+bad\s+line 3: .*\n\(Records\)\s+info\s+1 record cannot be read/)
  expect(out).toContain('\n\nLine 3 of the crontab: There is no command')
  expect(out).not.toContain('secret')

  const json = await listed()
  expect(json.map(({ name }) => name)).toEqual(['backup', 'probe', 'new', 'mail'])
  expect(json[0]).toMatchObject({
    level: 'bad',
    schedule: { cron: '0 3 * * *', from: 'crontab' },
    last: { status: 'lost', started: second - 60 },
    due: expect.any(Number),
    next: expect.any(Number),
    running: 0,
  })
  expect(json[1]).toMatchObject({ schedule: null, last: null, due: null, next: null })
  expect(existsSync(join(state(), 'seen.json'))).toBe(false)
})

test('a person can say when a job is due, and take all of it back', async () => {
  const said = await ran('expect', 'mail', '--every', '1d', '--grace', '2h')
  expect([said.code, said.out]).toEqual([0, expect.stringMatching(/^mail is due at /)])
  const note = () => JSON.parse(readFileSync(join(jobs(), 'mail/job.json'), 'utf8'))
  expect(note()).toMatchObject({ name: 'mail', every: 86_400, grace: 7200, by: 'person', since: expect.any(Number) })
  const { since } = note()
  expect(since).toBeGreaterThanOrEqual(second)
  expect(await listed()).toMatchObject([
    { name: 'mail', level: 'info', schedule: { every: 86_400, from: 'person' }, due: since + 86_400 },
  ])
  const cron = await ran('expect', 'mail', '--cron', '0 3 * * *', '--tz', 'Asia/Tokyo')
  expect(cron.code).toBe(0)
  expect(note()).toMatchObject({ cron: '0 3 * * *', tz: 'Asia/Tokyo' })
  expect(note()).not.toHaveProperty('every')
  expect(await ran('forget', 'mail')).toMatchObject({ code: 0, out: 'The records of mail were removed.\n' })
  expect(readdirSync(jobs())).toEqual([])
})

test.each([
  ['no schedule', ['mail'], 'either --every or --cron'],
  ['two schedules', ['mail', '--every', '1d', '--cron', '0 3 * * *'], 'either --every or --cron'],
  ['a name that is none', ['Mail', '--every', '1d'], 'The name of a job is'],
  ['a name that leads elsewhere', ['../mail', '--every', '1d'], 'The name of a job is'],
  ['an interval without a unit', ['mail', '--every', '5'], '--every must be a whole number above 0'],
  ['a grace of nothing', ['mail', '--every', '5m', '--grace', '0s'], '--grace must be'],
  ['a schedule that cron does not know', ['mail', '--cron', '0 3 L * *'], 'cron does not know: got "L"'],
  ['a zone that is none', ['mail', '--cron', '0 3 * * *', '--tz', 'Mars'], 'unknown time zone'],
  ['a zone without a schedule', ['mail', '--every', '1d', '--tz', 'Asia/Tokyo'], '--tz is the time zone of --cron'],
])('%s is refused, and nothing is written', async (_what, args, says) => {
  const { code, err } = await ran('expect', ...args)
  expect([code, err]).toEqual([2, expect.stringContaining(says)])
  expect(existsSync(join(home, '.local'))).toBe(false)
})

test('a job is not forgotten while it runs or is in the crontab', async () => {
  record('busy', second - 60, { status: 'running', ended: undefined, pid: process.pid })
  record('mail', second - 60)
  crontab('0 3 * * * svc-exec mail -- x')
  expect((await ran('forget', 'busy')).err).toContain('busy is running')
  expect((await ran('forget', 'mail')).err).toContain('mail is in the crontab')
  expect((await ran('forget', 'nothing')).err).toContain('There is no job nothing')
  crontab('', 'exit 3')
  expect((await ran('forget', 'mail')).err).toContain('"crontab -l" failed (exit 3). Nothing was removed.')
  expect(readdirSync(jobs())).toEqual(['busy', 'mail'])
})

test('while crontab fails, the table that the host agent saw last counts', async () => {
  record('backup', second - 60)
  crontab('', 'exit 3')
  const seen = { lines: [{ name: 'backup', cron: '0 3 * * *', since: second - 9 }], faults: [], read: second - 9 }
  writeFileSync(join(state(), 'seen.json'), JSON.stringify(seen))
  expect(await listed()).toMatchObject([{ name: 'backup', schedule: { cron: '0 3 * * *', from: 'crontab' } }])
  expect((await ran()).out).toMatch(/\(Crontab\)\s+warn\s+"crontab -l" failed \(exit 3\); the table of .* still counts/)
  expect((await ran('forget', 'backup')).err).toContain('backup is in the crontab')
})
