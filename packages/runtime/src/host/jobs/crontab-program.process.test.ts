import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { listCrontab, obeysCronTz } from './crontab-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-crontab-'))
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(join(folder, 'crontab'), { force: true })
})

/** Puts a stand-in for `crontab`, a shell script, first in the search path. */
function standIn(script: string | undefined, mode = 0o755) {
  if (script !== undefined) {
    writeFileSync(join(folder, 'crontab'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, 'crontab'), mode)
  }
  vi.stubEnv('PATH', script === undefined ? folder : `${folder}:/usr/bin:/bin`)
  vi.stubEnv('SVC_TIME_SCALE', '0.01')
}

test.each([
  ['a table', 'echo "0 3 * * * backup"; echo ignored >&2', '0 3 * * * backup\n'],
  ['a table of bytes that are no UTF-8', "printf '\\377\\n'", Buffer.from([255, 10])],
  ['an empty table', ':', ''],
  ['no table', 'echo "no crontab for ada" >&2; exit 1', ''],
  ['no program', undefined, ''],
])('%s', async (_what, script, table) => {
  standIn(script)
  expect(await listCrontab()).toEqual({ is: 'table', bytes: Buffer.from(table) })
})

test.each([
  ['a failure', 'echo "You (ada) are not allowed to use this program" >&2; exit 1', 'failed (exit 1)'],
  ['a program that a signal ended', 'kill -9 $$', 'failed (SIGKILL)'],
  ['a program that hangs, and its child with the same output', 'sleep 20 & exec sleep 20', 'did not end within 10 s'],
  ['more than any table', 'yes | head -c 5000000', 'failed (ERR_CHILD_PROCESS_STDIO_MAXBUFFER)'],
])('%s', async (_what, script, why) => {
  standIn(script)
  expect(await listCrontab()).toEqual({ is: 'failed', why })
})

test('a program that may not be run', async () => {
  standIn(':', 0o644)
  vi.stubEnv('PATH', folder)
  expect(await listCrontab()).toEqual({ is: 'failed', why: 'failed (EACCES)' })
})

test.each([
  ['cronie 1.6.1', true],
  ['crontab: usage error: unrecognized option', false],
])('CRON_TZ with a program that says %s', async (says, obeys) => {
  standIn(`echo "${says}" >&2; exit 1`)
  expect(await obeysCronTz()).toBe(obeys)
})
