/** Runs many commands before and after they are wrapped, as cron does, with every shell of this machine. */
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { crontabCommands, runAsCron } from '../../../testing/crontab-lines.ts'
import { wrapped } from './wrapping.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-wrapping-')))
writeFileSync(join(folder, 'a b.txt'), 'text\n')
writeFileSync(join(folder, 'job.sh'), '#!/bin/sh\necho "job $# $*"\n', { mode: 0o755 })
/** A program in the place of `svc-exec`, which only starts the command. */
const program = join(folder, 'svc-exec')
writeFileSync(program, '#!/bin/sh\nshift 2\nexec "$@"\n')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const shells = ['/bin/sh', '/bin/dash', '/bin/bash', '/bin/ksh', '/bin/zsh'].filter((shell) => existsSync(shell))

describe.each(shells)('%s', (shell) => {
  const place = { cwd: folder, env: { PATH: '/usr/bin:/bin', HOME: folder, SHELL: shell, LANG: 'C.UTF-8', TZ: 'UTC' } }
  const after = (command: string) =>
    runAsCron(wrapped({ before: '', command: command.trimStart() }, { program, name: 'a', shell }), shell, place)

  test.each(crontabCommands)('%s gives the same, wrapped or not', (_what, command) => {
    const before = runAsCron(command.trimStart(), shell, place)
    chmodSync(program, 0o644)
    expect(after(command), 'without svc-exec').toEqual(before)
    chmodSync(program, 0o755)
    expect(after(command), 'with svc-exec').toEqual(before)
  })
})
