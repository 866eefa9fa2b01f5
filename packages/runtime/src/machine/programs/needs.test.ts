import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { judgeNeed, missingNeeds, unmetNeeds, watchPrograms } from './needs.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-needs-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function program(name: string, script: string) {
  writeFileSync(join(dir, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(dir, name), 0o755)
}

describe('a program in PATH is accepted if it is new enough', () => {
  test.each([
    ['3.9', 'Python 3.9.2', undefined],
    ['3.9', 'Python 3.10.0', undefined],
    ['3', 'Python 3.10.0', undefined],
    ['3.9', 'Python 4', undefined],
    ['0.16.4', 'restic 0.16.4 compiled with go1.22', undefined],
    ['3.9', 'Python 3.8.10', 'x is 3.8.10, and 3.9 or newer is needed.'],
    ['3.9.1', 'Python 3.9', 'x is 3.9, and 3.9.1 or newer is needed.'],
    ['3.9', 'usage: x', 'x does not say its version, and 3.9 or newer is needed.'],
  ])('%s of %s', (min, says, wrong) => {
    expect(judgeNeed({ name: 'x', min }, { file: '/bin/x', says })).toBe(wrong)
  })
})

test('a program is asked for its version only if a version is needed, and never while searching for it', async () => {
  program('old', 'echo "old 1.2"')
  program('version', 'test "$1" = version && echo "1.5" >&2; exit 3')
  program('touchy', `echo ran > ${dir}/ran; echo 9`)
  program('broken', 'echo "broken: error while loading shared libraries: libssl.so.1.1: not found" >&2; exit 127')
  program('killed', 'kill -KILL $$')
  writeFileSync(join(dir, 'noloader'), '#!/nowhere/sh\n', { mode: 0o755 })
  writeFileSync(join(dir, 'plain'), 'x')
  const needs = [
    { name: 'old', min: '2' },
    { name: 'version', min: '1.5', version_args: ['version'] },
    { name: 'touchy' },
    { name: 'broken', min: '2' },
    { name: 'killed', min: '2' },
    { name: 'noloader', min: '2' },
    { name: 'plain' },
    { name: 'gone', min: '1' },
    { name: '../bin/sh' },
  ]
  const missing = [
    `plain cannot be run: ${dir}/plain is not executable for this user.`,
    ...['gone', '../bin/sh'].map((name) => `${name} is missing: there is no such program in PATH.`),
  ]
  const failing = [
    `broken does not start: ${dir}/broken failed (exit code 127: broken: error while loading shared libraries: libssl.so.1.1: not found).`,
    `killed does not start: ${dir}/killed failed (SIGKILL).`,
    `noloader does not start: ${dir}/noloader failed (ENOENT).`,
  ]
  expect(missingNeeds(needs, `${dir}:relative:`)).toEqual(missing)
  expect(await unmetNeeds(needs, dir)).toEqual(['old is 1.2, and 2 or newer is needed.', ...failing, ...missing])
  expect(missingNeeds([{ name: 'ran' }], dir)).toHaveLength(1)
})

test('the health item names what is missing, follows an update, and disappears when nothing is missing', async () => {
  const stop = new AbortController()
  const here = new Set(['git'])
  const watch = watchPrograms(stop.signal, async (needs) =>
    needs.filter(({ name }) => !here.has(name)).map(({ name }) => `${name} is missing.`),
  )
  const says = (...names: string[]) => watch.health({ needs: names.map((name) => ({ name })) })
  expect(watch.health({})).toEqual([])
  says('restic', 'git')
  const isMissing = (name: string) => [{ name: 'Programs', level: 'bad', detail: `${name} is missing.` }]
  await eventually('restic is missing', () => expect(says('restic', 'git')).toEqual(isMissing('restic')))
  says('jq')
  await eventually('jq is missing', () => expect(says('jq')).toEqual(isMissing('jq')))
  expect(says('git')).toEqual([])
  stop.abort()
})
