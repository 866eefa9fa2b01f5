/**
 * Runs many commands before and after they are wrapped, as cron does, with every shell of this machine. `npm test`
 * leaves this out. packages/runtime/src/host/adopt/wrapping.test.ts proves the same rules.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { crontabCommands, runAsCron } from '../../../testing/crontab-lines.ts'
import { newAccount } from '../../../testing/jobs.ts'
import { readRuns } from '../jobs/record.ts'
import { wrapLine } from './wrapping.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-wrapping-')))
writeFileSync(join(folder, 'a b.txt'), 'text\n')
writeFileSync(join(folder, 'job.sh'), '#!/bin/sh\necho "job $# $*"\n', { mode: 0o755 })
/** A program in the place of `svc-exec`, which only starts the command. */
const program = join(folder, 'svc-exec')
writeFileSync(program, '#!/bin/sh\nshift 2\nexec "$@"\n')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const shells = ['/bin/sh', '/bin/bash', '/bin/dash', '/bin/ksh', '/bin/zsh'].filter((shell) => existsSync(shell))

describe.each(shells)('%s', (shell) => {
  const place = { cwd: folder, env: { PATH: '/usr/bin:/bin', HOME: folder, SHELL: shell, LANG: 'C.UTF-8', TZ: 'UTC' } }
  const after = (command: string) =>
    runAsCron(wrapLine({ before: '', command: command.trimStart() }, { program, name: 'a', shell }), shell, place)

  test.each(crontabCommands)('%s gives the same, wrapped or not', (_what, command) => {
    const before = runAsCron(command.trimStart(), shell, place)
    chmodSync(program, 0o644)
    expect(after(command), 'without svc-exec').toEqual(before)
    chmodSync(program, 0o755)
    expect(after(command), 'with svc-exec').toEqual(before)
  })
})

test('with the real svc-exec each command gives the same, and its run is recorded', { timeout: 600_000 }, async () => {
  const ada = await newAccount()
  // The path of `svc-exec` may contain blanks, which a crontab line may not. The link has none.
  const real = join(folder, 'real/svc-exec')
  mkdirSync(join(real, '..'))
  symlinkSync(ada.svcExec, real)
  const shell = '/bin/sh'
  const jobs = join(folder, 'jobs')
  const place = { cwd: folder, env: { PATH: '/usr/bin:/bin', HOME: folder, SHELL: shell, LANG: 'C.UTF-8', TZ: 'UTC' } }
  for (const [at, [what, command]] of crontabCommands.entries()) {
    const { code, signal, out, err } = runAsCron(command.trimStart(), shell, place)
    const wrap = { program: real, name: `job-${at}`, shell }
    const line = wrapLine({ before: '', command: command.trimStart() }, wrap)
    const after = runAsCron(line, shell, { ...place, env: { ...place.env, SVC_JOBS_DIR: jobs } })
    const shown = code ?? 128 + constants.signals[signal as NodeJS.Signals]
    expect(after, what).toEqual({ code: shown, signal: null, out, err })
    const [run] = readRuns(join(jobs, `job-${at}`), Number.MAX_SAFE_INTEGER).runs
    expect(run?.status, what).toBe(shown === 0 ? 'ok' : 'failed')
  }
  ada.remove()
})
