/**
 * Tests that a command is never applied twice and never lost silently (D4, I4). While the reporter processes commands,
 * it is killed with SIGKILL at a change of the disk: at every ninth change in turn or, in the long form, at every
 * change.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Ack } from '@svc/protocol'
import { expect, test } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import { programs } from '../../../../../testing/program.ts'
import { agentFolder, type Running, reporter, starts } from '../../../testing/folder.ts'
import { command, json, startService } from '../../../testing/service.ts'

/**
 * The factor for all durations: reports come every 250 ms, and the timeout of a request is still long enough on a busy
 * machine.
 */
const scale = 0.05

interface Seen {
  readonly changes: number
  readonly acks: Ack[]
  readonly applied: number
  readonly settings: string
}

const sent = () =>
  json({
    commands: [command('a', 'run_now'), command('b', 'set', { every: 30, tone: 'brisk' }), command('c', 'pause')],
    interval: 5,
  })

/**
 * Runs one case: commands arrive, the reporter is killed at disk change number `at` (0 means never), and its next start
 * continues. With `again`, the service then sends the same commands once more, as a service does that was restored from
 * a backup.
 */
async function life(at: number, again = false): Promise<Seen> {
  const service = await startService()
  const folder = agentFolder({}, service.origin)
  const countFile = join(folder.root, 'count')
  const env = {
    SVC_TEST_KILL_AT: String(at),
    // Disk changes are counted from the arrival of the service's answer on, since that is when the reporter processes
    // the commands.
    SVC_TEST_KILL_AFTER: 'outbox.json',
    SVC_TEST_KILL_COUNT: countFile,
  }
  let running: Running | undefined
  let applied = 0
  const take = () => {
    if (existsSync(folder.runNow)) applied++
    // The test acts as the agent, which removes the request for a run when it begins the run.
    rmSync(folder.runNow, { force: true })
  }
  try {
    service.usual = json({ commands: [], interval: 5 })
    service.next.push(sent())
    running = starts(folder, ['report'], { scale, file: ['--require', programs.killAt, programs.svc], env })
    if (at === 0) {
      await service.reported(2)
      await running.end()
    } else
      expect(await new Promise((resolve) => running?.child.on('close', (_code, signal) => resolve(signal)))).toBe(
        'SIGKILL',
      )
    take()
    if (at > 0) {
      if (again) service.next.push(sent())
      running = reporter(folder, scale)
      await service.reported(3)
      await running.end()
      take()
    }
    const acks = new Map(service.reports.flatMap((r) => r.report.acks ?? []).map((ack) => [ack.id, ack]))
    return {
      changes: existsSync(countFile) ? Number(readFileSync(countFile, 'utf8')) : 0,
      acks: [...acks.values()],
      applied,
      settings: existsSync(folder.settings) ? readFileSync(folder.settings, 'utf8') : '',
    }
  } finally {
    running?.child.kill('SIGKILL')
    await service.close()
    folder.remove()
  }
}

const limit = level === 'long' ? 20 * 60_000 : 120_000
test('killed at any change of the disk, each command is applied at most once, and an ack tells the truth', {
  timeout: limit,
}, async () => {
  const untouched = await life(0)
  expect(untouched.applied).toBe(1)
  expect(untouched.acks.map((a) => a.ok)).toEqual([true, true, true])
  expect(untouched.changes).toBeGreaterThan(40)

  // The step between two kills is odd, so that runs with and without `again` alternate.
  const [step, last] = level === 'long' ? [1, untouched.changes] : [9, 75]
  for (let at = 1; at <= last; at += step) {
    const again = at % 2 === 0
    const { applied, acks, settings } = await life(at, again)
    const ack = (id: string) => acks.find((a) => a.id === id)
    const where = `killed at change ${at}${again ? ', sent again' : ''}: ${JSON.stringify(acks)}`
    expect(applied, where).toBeLessThanOrEqual(1)
    if (ack('a')?.ok) expect(applied, where).toBe(1)
    const values = settings === '' ? {} : JSON.parse(settings)
    // Either all keys of a `set` command are changed, or none (I27).
    expect(['10 calm', '30 brisk'], where).toContain(`${values.every} ${values.tone}`)
    if (ack('b')) expect(ack('b')?.ok, where).toBe(values.every === 30)
    // The reporter notes a command before the command takes effect, so it sends an ack even if the service does not
    // send the command again.
    if (applied === 1) expect(ack('a'), where).toBeDefined()
    if (values.every === 30) expect(ack('b'), where).toBeDefined()
    if (again) expect(acks.map(({ id }) => id).sort(), where).toEqual(['a', 'b', 'c'])
  }
})
