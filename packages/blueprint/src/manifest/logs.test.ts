import { expect, test } from 'vitest'
import { isLogPattern, logNamed, logsBelow } from './logs.ts'
import { readManifest } from './read.ts'

const jobs = { name: 'job/*', path: 'state/jobs/*/last.log' }
const plain = { name: 'job/mail', path: 'state/mail.log' }
const longest = `a${'b'.repeat(62)}`

test.each<[name: string, path: string | undefined]>([
  ['job/backup', 'state/jobs/backup/last.log'],
  ['job/a', 'state/jobs/a/last.log'],
  ['job/0.daily_db-2', 'state/jobs/0.daily_db-2/last.log'],
  [`job/${longest}`, `state/jobs/${longest}/last.log`],
  ['job/mail', 'state/mail.log'],
  ['job/*', undefined],
  ['job/', undefined],
  ['job', undefined],
  ['backup', undefined],
  ['job/..', undefined],
  ['job/.hidden', undefined],
  ['job/_x', undefined],
  ['job/Backup', undefined],
  ['job/b\u00e4ckup', undefined],
  ['job/a b', undefined],
  ['job/a\n', undefined],
  ['job/a/b', undefined],
  ['job/../../etc/passwd', undefined],
  [`job/${longest}c`, undefined],
])('the log %j is %j', (name, path) => {
  expect(logNamed([jobs, plain], name)).toEqual(path === undefined ? undefined : { name, path })
})

test.each<[what: string, name: string, path: string, asked: string, found: string | undefined]>([
  ['a star alone', '*', 'logs/*', 'mail', 'logs/mail'],
  ['a star first in both', '*/log', '*/a.log', 'mail/log', 'mail/a.log'],
  ['a name that only overlaps', 'job/*/job', 'a/*', 'job/job', undefined],
  ['another star that is no segment', 'a*/*', 'b*/*', 'a*/mail', 'b*/mail'],
  ['no star in the path', 'job/*', 'state/a.log', 'job/mail', undefined],
  ['no star in the path, asked for as plain text', 'job/*', 'state/a.log', 'job/*', 'state/a.log'],
  ['no star in the name', 'jobs', 'state/*/a.log', 'jobs', 'state/*/a.log'],
  ['a star in a segment', 'job/*', 'state/job-*.log', 'job/mail', undefined],
  ['a star in a segment, asked for as plain text', 'job/*', 'state/job-*.log', 'job/*', 'state/job-*.log'],
  ['two stars in the name', '*/*', 'state/*', 'mail/mail', undefined],
  ['two stars in the path', 'job/*', 'state/*/*', 'job/mail', undefined],
  ['two stars in the path, asked for as plain text', 'job/*', 'state/*/*', 'job/*', 'state/*/*'],
])('%s: %j at %j', (_what, name, path, asked, found) => {
  expect(logNamed([{ name, path }], asked)?.path).toBe(found)
})

test('the output of a process is one file, whatever its name', () => {
  const output = { ...jobs, output: true }
  expect(isLogPattern(output)).toBe(false)
  expect(logNamed([output], 'job/mail')).toBeUndefined()
  expect(logNamed([output], 'job/*')).toEqual(output)
})

test('the logs below a folder are those of its entries that can be the word', () => {
  const below = logsBelow(jobs)
  expect(below?.folder).toBe('state/jobs')
  expect(['backup', '.tmp', 'unrecorded 2'].map((entry) => below?.logOf(entry)?.name)).toEqual([
    'job/backup',
    undefined,
    undefined,
  ])
  expect(logsBelow({ name: '*', path: '*' })?.folder).toBe('.')
  expect(logsBelow(plain)).toBeUndefined()
})

test('a manifest may declare such a log, without quotes', () => {
  const read = readManifest(
    'name: a\nversion: 1.0.0\nstate: [state]\nlogs: [{name: job/*, path: state/jobs/*/last.log}]\n',
    {
      for: 'report',
    },
  )
  expect(read).toMatchObject({ ok: true, value: { logs: [jobs] } })
})
