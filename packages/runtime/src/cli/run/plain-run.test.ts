import { expect, test } from 'vitest'
import { plainRunOptions } from './plain-run.ts'

test.each([
  ['', { dir: '.' }],
  ['--dir /srv/a', { dir: '/srv/a' }],
  ['--dir=/srv/a', { dir: '/srv/a' }],
  ['--dir /srv/a --json', { dir: '/srv/a', json: true }],
  ['--json --dir=/srv/a=b', { dir: '/srv/a=b', json: true }],
  ['--dir /srv/a --dir /srv/b', { dir: '/srv/b' }],
])('"svc run %s" is run without loading other commands', (rest, how) => {
  expect(plainRunOptions(['run', ...rest.split(' ').filter(Boolean)])).toEqual(how)
})

test.each([
  '--help',
  '-h',
  '--dir',
  '--dir --json',
  '/srv/a',
  '--jsn',
  '--dir /srv/a extra',
  '--',
  '--dir /srv/a --version',
])('"svc run %s" goes the usual way', (rest) => expect(plainRunOptions(['run', ...rest.split(' ')])).toBeUndefined())

test.each(['', 'start', 'help run', '--dir /srv/a run'])('"svc %s" is not a plain run', (line) =>
  expect(plainRunOptions(line.split(' ').filter(Boolean))).toBeUndefined(),
)
