import { spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { identityOf } from '../../machine/process/identity.ts'
import { jobsReader } from './reader.ts'
import { cutUnrecorded, dropUnrecorded, readUnrecorded } from './unrecorded.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-jobs-'))
})
afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

const now = Date.parse('2026-11-25T10:00Z')
const second = now / 1000
const write = (name: string, text: string) => {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), text)
}
const record = (started: number, more = {}) => {
  const id = `${started * 1000}-aaaa`
  return { id, text: JSON.stringify({ id, status: 'ok', started, ended: started + 60, exit: 0, ...more }) }
}
const writeRecord = (job: string, started: number, more = {}) => {
  const { id, text } = record(started, more)
  write(`${job}/${id}.json`, text)
  return id
}

test('a folder that is missing or empty has no jobs', () => {
  const nothing = { jobs: [], unrecorded: [], passedOver: 0, closed: [], isPending: false }
  expect(jobsReader(root)(now)).toEqual(nothing)
  expect(jobsReader(join(root, 'missing'))(now)).toEqual(nothing)
})

test('jobs are folders with the name of a job; the newest run is the first', () => {
  writeRecord('backup', second - 7200)
  writeRecord('backup', second - 3600, { status: 'failed', exit: 1 })
  write('backup/job.json', '{"name":"backup","every":3600,"since":1}')
  write('backup/last.log', 'secret')
  write('Other/1-a.json', '{}')
  write('file', 'no folder')
  write('unrecorded', `${second} backup no-node\n`)
  const found = jobsReader(root)(now)
  expect(found.jobs.map(({ name }) => name)).toEqual(['backup'])
  expect(found.jobs[0]?.note).toEqual({ name: 'backup', every: 3600, since: 1 })
  expect(found.jobs[0]?.runs.map(({ status }) => status)).toEqual(['failed', 'ok'])
  expect(found.unrecorded).toEqual([{ at: second, name: 'backup', reason: 'no Node' }])
})

test('a run that lives, and lies ahead of a clock that was set back, began when its process did', () => {
  const { start } = identityOf(process.pid) ?? { start: '' }
  const [boot, ticks] = start.split(':').map((part, at) => (at === 0 ? part : Number(part)))
  const lives = { status: 'running', ended: undefined, exit: undefined, pid: process.pid, boot, start: ticks }
  writeRecord('backup', second + 3 * 3600, lives)
  writeRecord('mail', second - 60, lives)
  const upSeconds = () => Number(ticks) / 100 + 600
  const { jobs } = jobsReader(root, upSeconds)(now)
  expect(jobs.map(({ runs: [run] }) => run?.began)).toEqual([second - 600, undefined])
})

test.each([
  ['is cut in the middle', '{"id":"1-a","stat'],
  ['is empty', ''],
  ['is a list', '[]'],
  ['has no start', '{"id":"ID","status":"ok"}'],
  ['has the id of another', '{"id":"1-b","status":"ok","started":1}'],
  ['has an unknown status', '{"id":"ID","status":"fine","started":1}'],
  ['is larger than any', `{"id":"ID","status":"ok","started":1,"x":"${'y'.repeat(300_000)}"}`],
  ['lies two days ahead', JSON.stringify({ id: 'ID', status: 'ok', started: second + 2 * 86_400 })],
])('a record that %s is passed over and counted', (_what, text) => {
  writeRecord('backup', second - 3600)
  write('backup/1795600000000-bbbb.json', text.replaceAll('ID', '1795600000000-bbbb'))
  const { jobs, passedOver } = jobsReader(root)(now)
  expect(jobs[0]?.runs).toHaveLength(1)
  expect(passedOver).toBe(1)
})

test('a folder that did not change is not read again', () => {
  writeRecord('backup', second - 3600)
  const old = second - 1000
  utimesSync(join(root, 'backup'), old, old)
  const look = jobsReader(root)
  const [before] = look(now).jobs
  writeRecord('backup', second - 60)
  utimesSync(join(root, 'backup'), old, old)
  expect(look(now).jobs[0]?.runs).toEqual(before?.runs)
  utimesSync(join(root, 'backup'), second - 10, second - 10)
  expect(look(now).jobs[0]?.runs).toHaveLength(2)
})

test('a folder that changed just now is read again at the next look', () => {
  writeRecord('backup', second - 3600)
  utimesSync(join(root, 'backup'), second, second)
  const look = jobsReader(root)
  look(now)
  writeRecord('backup', second - 60)
  utimesSync(join(root, 'backup'), second, second)
  expect(look(now).jobs[0]?.runs).toHaveLength(2)
})

test('a job whose folder was removed is gone', () => {
  writeRecord('backup', second - 3600)
  const look = jobsReader(root)
  look(now)
  rmSync(join(root, 'backup'), { recursive: true })
  expect(look(now).jobs).toEqual([])
})

test('a run whose process lives is running', () => {
  const child = spawn('sleep', ['1000'])
  afterThisTest(() => child.kill('SIGKILL'))
  const { pid, start } = identityOf(child.pid ?? 0) ?? {}
  const [boot, ticks] = (start ?? '').split(':')
  writeRecord('backup', second - 60, { status: 'running', ended: undefined, pid, boot, start: Number(ticks) })
  const look = jobsReader(root)
  for (const _ of [1, 2]) {
    const { jobs, isPending } = look(now)
    expect([jobs[0]?.runs[0]?.status, isPending]).toEqual(['running', false])
  }
})

test.each([
  ['its process is gone', { pid: 2 ** 22 + 1, boot: 'x', start: 1 }],
  ['its boot is another', { pid: process.pid, boot: 'another', start: 1 }],
  ['it names no process', {}],
])('a run is lost at the second look if %s', (_what, identity) => {
  const id = writeRecord('backup', second - 60, { status: 'running', ended: undefined, ...identity })
  const look = jobsReader(root)
  const first = look(now)
  expect([first.jobs[0]?.runs[0]?.status, first.isPending]).toEqual(['running', true])
  const then = look(now)
  expect([then.jobs[0]?.runs[0]?.status, then.isPending]).toEqual(['lost', false])
  expect(JSON.parse(readFileSync(join(root, `backup/${id}.json`), 'utf8')).status).toBe('running')
})

test.runIf(process.getuid?.() !== 0)('a folder of another user is named', () => {
  writeRecord('backup', second - 60)
  writeRecord('mail', second - 60)
  chmodSync(join(root, 'backup'), 0)
  const { jobs, closed } = jobsReader(root)(now)
  chmodSync(join(root, 'backup'), 0o700)
  expect(jobs.map(({ name }) => name)).toEqual(['mail'])
  expect(closed).toEqual(['backup'])
})

test('a job whose folder is a link that leads nowhere is no job', () => {
  symlinkSync(join(root, 'nowhere'), join(root, 'backup'))
  expect(jobsReader(root)(now)).toMatchObject({ jobs: [], closed: [] })
})

test('lines of runs without a record are read, and damaged ones are passed over', () => {
  const file = join(root, 'unrecorded')
  const good = '1795600000 backup no-node\n1795600001 - wrong-usage\n1795600002 mail something-else\n'
  writeFileSync(file, `${good}nonsense\n179560000\n\0\0\0\n1795600003 Bad no-node\n1795600004 backup no`)
  expect(readUnrecorded(file)).toEqual([
    { at: 1795600000, name: 'backup', reason: 'no Node' },
    { at: 1795600001, reason: 'wrong usage' },
    { at: 1795600002, name: 'mail', reason: 'unknown reason' },
    { at: 1795600004, name: 'backup', reason: 'unknown reason' },
  ])
  dropUnrecorded(file, 'backup')
  expect(readUnrecorded(file).map(({ name }) => name)).toEqual([undefined, 'mail'])
  expect(readUnrecorded(root)).toEqual([])
})

test('the file with runs without a record is cut to whole lines at its end, and no job pushes out another', () => {
  const file = join(root, 'unrecorded')
  writeFileSync(file, '1795600000 backup no-node\n'.repeat(10))
  cutUnrecorded(file)
  expect(readUnrecorded(file)).toHaveLength(10)
  writeFileSync(file, '1795600000 backup no-node\n'.repeat(5000))
  appendFileSync(file, '1795600001 last no-svc\n')
  const before = readUnrecorded(file)
  cutUnrecorded(file)
  const text = readFileSync(file, 'utf8')
  expect(text.length).toBeLessThanOrEqual(32 * 1024)
  expect(text.length).toBeGreaterThan(31 * 1024)
  expect(text.startsWith('1795600000 backup no-node\n')).toBe(true)
  const after = readUnrecorded(file)
  expect(after).toEqual(before.slice(-after.length))
  expect(before.at(-1)).toEqual({ at: 1795600001, name: 'last', reason: 'no svc' })
  for (let cut = 0; cut < 3; cut++) {
    appendFileSync(file, '1795600002 backup no-node\n'.repeat(1500))
    cutUnrecorded(file)
    expect(readUnrecorded(file).filter(({ name }) => name === 'last')).toEqual([before.at(-1)])
  }
})
