import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { endLeftovers } from './leftovers.ts'

test.runIf(process.platform === 'linux')(
  'processes that a run left behind are ended, and other processes keep running',
  async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'svc-left-'))
    writeFileSync(join(temporary, 'file'), '')
    const sleeper = (env: NodeJS.ProcessEnv) =>
      spawn('sleep', ['60'], { env: { ...process.env, ...env }, detached: true })
    const [left, other] = [sleeper({ TMPDIR: temporary }), sleeper({})]
    await Promise.all([once(left, 'spawn'), once(other, 'spawn')])
    // The kernel shows the environment of a program a moment after it has started.
    await eventually('its environment is known', () =>
      expect(readFileSync(`/proc/${left.pid}/environ`, 'utf8')).toContain(temporary),
    )
    const ended = once(left, 'exit')
    endLeftovers(temporary)
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect([other.exitCode, other.signalCode]).toEqual([null, null])
    expect(existsSync(join(temporary, 'file'))).toBe(false)
    other.kill('SIGKILL')
    rmSync(temporary, { recursive: true })
  },
)
