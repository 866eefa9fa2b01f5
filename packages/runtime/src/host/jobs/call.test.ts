import { describe, expect, test } from 'vitest'
import { type ExecCall, readCall, readJobDuration } from './call.ts'

type Expected = { [K in keyof ExecCall]?: ExecCall[K] | undefined }
const words = (line: string) => line.split(' ').filter(Boolean)
const usual = { name: 'backup', noOverlap: false, log: false, command: ['true'] }

test.each<[string, Expected]>([
  ['backup -- true', {}],
  ['backup -- sh -c x -- y', { command: ['sh', '-c', 'x', '--', 'y'] }],
  ['backup -- true --every 1d --log', { command: ['true', '--every', '1d', '--log'] }],
  ['backup --every 1d -- true', { every: 86_400 }],
  ['backup --every=90m -- true', { every: 5400 }],
  ['backup --every 1d --every 2h -- true', { every: 7200 }],
  ['backup --cron @daily --tz Europe/Berlin -- true', { cron: '@daily', tz: 'Europe/Berlin' }],
  ['backup --grace 2h --timeout 30s -- true', { grace: 7200, timeout: 30 }],
  ['backup --no-overlap --log -- true', { noOverlap: true, log: true }],
  ['a -- true', { name: 'a' }],
  [`${'a'.repeat(63)} -- true`, { name: 'a'.repeat(63) }],
  ['9.db_dump-2 -- true', { name: '9.db_dump-2' }],
])('"svc exec %s" is read', (line, read) => {
  expect(readCall(words(line))).toEqual({ ...usual, ...read })
})

describe('what is wrong is said, and the command and all that can be read are kept', () => {
  test.each<[string, string, Expected?]>([
    ['Backup -- true', 'got "Backup"', { name: undefined }],
    ['-- true', 'got ""', { name: undefined }],
    ['--log backup -- true', 'got "--log"', { name: undefined }],
    ['unrecorded -- true', 'got "unrecorded"', { name: undefined }],
    ['../x -- true', 'got "../x"', { name: undefined }],
    [`${'a'.repeat(64)} -- true`, 'must be the name', { name: undefined }],
    ['backup --evry 1d -- true', 'There is no option "--evry". There is no option "1d".'],
    ['backup --log=yes -- true', 'There is no option "--log=yes".', { log: false }],
    ['backup daily --log -- true', 'There is no option "daily".', { log: true }],
    ['backup --every -- true', '--every needs a value: got nothing.'],
    ['backup --every 1.5h -- true', 'got "1.5h"'],
    ['backup --every 0m -- true', 'got "0m"'],
    ['backup --every daily --grace 2h -- true', 'got "daily"', { grace: 7200 }],
    ['backup --every 1d --cron @daily -- true', 'not both', { every: 86_400, cron: '@daily' }],
    ['backup --tz Europe/Berlin -- true', '--tz is the time zone of --cron', { tz: 'Europe/Berlin' }],
    ['backup --cron= -- true', '--cron needs a schedule'],
    ['backup', 'There is no command', { command: [] }],
    ['backup --log --', 'There is no command', { command: [], log: true }],
    ['', 'There is no command', { name: undefined, command: [] }],
  ])('"svc exec %s"', (line, says, read = {}) => {
    const { wrong, ...call } = readCall(words(line))
    expect(wrong).toContain(says)
    const expected = Object.fromEntries(Object.entries({ ...usual, ...read }).filter(([, v]) => v !== undefined))
    expect(call).toEqual(expected)
  })

  test('control characters are shown so that they control no terminal', () => {
    expect(readCall(['a\u001b[2J', '--', 'true']).wrong).toContain('"a\\u001b[2J"')
  })
})

test.each([
  ['1s', 1],
  ['90m', 5400],
  ['007h', 25_200],
  ['1d', 86_400],
  ['11574d', 999_993_600],
  ['11575d', undefined],
  ['99999999999s', undefined],
  ['0d', undefined],
  ['-1d', undefined],
  ['1', undefined],
  ['1w', undefined],
  ['1 d', undefined],
  ['١d', undefined],
  ['', undefined],
])('the duration %j is %s', (text, seconds) => expect(readJobDuration(text)).toBe(seconds))
