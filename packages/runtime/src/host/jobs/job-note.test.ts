import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readCall } from './call.ts'
import { type Job, jobAfter, readJob, writeJob } from './job-note.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-job-'))
afterAll(() => rmSync(folder, { recursive: true }))

const name = 'backup'
const daily: Job = { name, every: 86_400, since: 100, by: 'command' }
const persons: Job = { name, cron: '@daily', tz: 'UTC', grace: 60, since: 100, by: 'person' }

test.each<[string, Job | undefined, string, Job]>([
  ['the first run gives the schedule', undefined, '--every 1d', { ...daily, since: 500 }],
  ['the same schedule keeps its time', daily, '--every 1d', daily],
  ['another grace is no other schedule', daily, '--every 1d --grace 5m', { ...daily, grace: 300 }],
  ['another schedule begins now', daily, '--every 2d', { ...daily, every: 172_800, since: 500 }],
  ['another zone is another schedule', persons, '--cron @daily', { name, cron: '@daily', since: 500, by: 'command' }],
  ['an earlier command has its schedule dropped', daily, '--grace 5m', { name, grace: 300 }],
  ['a note without "by" is a command’s', { name, every: 60, since: 100 }, '', { name }],
  ['a person keeps the schedule', persons, '--timeout 1h', { ...persons, timeout: 3600 }],
  ['the timeout of an earlier run is dropped', { ...persons, timeout: 3600 }, '', persons],
  ['the command replaces what a person gave', persons, '--every 1d', { ...daily, since: 500 }],
  ['nothing was given', undefined, '', { name }],
])('after a run: %s', (_what, before, options, after) => {
  const call = readCall([name, ...options.split(' ').filter(Boolean), '--', 'true'])
  expect(call.wrong).toBeUndefined()
  expect(jobAfter(before, name, call, 500)).toEqual(after)
  writeJob(folder, after)
  expect(readJob(folder)).toEqual(after)
  expect(statSync(join(folder, 'job.json')).mode & 0o777).toBe(0o600)
})

test.each(['{"name":"Backup"}', '{"name":"backup"', '[]', '', '{"name":"backup"}'.padEnd(200_000)])(
  'a damaged note is no note',
  (text) => {
    writeFileSync(join(folder, 'job.json'), text)
    expect(readJob(folder)).toBeUndefined()
  },
)

test('of a note only the fields that are wrong are dropped', () => {
  writeFileSync(join(folder, 'job.json'), '{"name":"backup","every":-1,"tz":7,"since":5,"more":{}}')
  expect(readJob(folder)).toEqual({ name, since: 5 })
  expect(readFileSync(join(folder, 'job.json'), 'utf8')).toContain('more')
})
