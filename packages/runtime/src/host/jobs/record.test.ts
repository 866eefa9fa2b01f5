import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { identityOf } from '../../machine/process/identity.ts'
import { replaceJson } from './files.ts'
import { newRunId, runIdOf } from './ids.ts'
import { type RecordedRun, readReportedFields, readRun, readRuns, runLives } from './record.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-runs-'))
  made.push(folder)
})
const made: string[] = []
afterAll(() => made.map((each) => rmSync(each, { recursive: true })))

const now = 1_800_000_000
const runAt = (started: number, more: Partial<RecordedRun> = {}): RecordedRun => ({
  id: newRunId(started * 1000, 0.5),
  status: 'ok',
  started,
  ended: started + 5,
  exit: 0,
  ...more,
})
const put = (run: RecordedRun) => replaceJson(join(folder, `${run.id}.json`), run)

test('an id says when its run began, and two runs of one moment have two', () => {
  expect(newRunId(1234, 0)).toBe('1234-00000000')
  expect(newRunId(1234, 1 - Number.EPSILON)).toBe('1234-zzzzzzzz')
  expect(runIdOf(`/srv/${newRunId(1234, 0.3)}.json`)).toBe(newRunId(1234, 0.3))
  for (const other of ['job.json', 'last.log', '.1234-0.json.7.tmp', '1234-a.run', '1234-A.json', 'x-1.json'])
    expect(runIdOf(other)).toBeUndefined()
})

test('a record is read as it was written', () => {
  const run = runAt(now, {
    ...{ pid: 7, start: 12, boot: 'b', log: 'job/backup', cost_usd: 0.12, output_tokens: 900 },
    ...{ models: { m: 0.12 }, subjects: [{ title: 'a' }] },
  })
  put(run)
  expect(readRuns(folder, now)).toEqual({ runs: [run], passedOver: 0 })
  put({ ...run, status: 'failed', exit: 137, signal: 'SIGKILL' })
  expect(readRun(join(folder, `${run.id}.json`))).toMatchObject({ status: 'failed', signal: 'SIGKILL' })
})

test('the newest run is the first, and records that cannot be used are passed over and counted', () => {
  const runs = [now - 90_000, now, now - 86_400, now + 86_400].map((at) => runAt(at))
  for (const run of runs) put(run)
  put(runAt(now + 86_401))
  replaceJson(join(folder, `${newRunId(5, 0.1)}.json`), runAt(now - 5))
  const whole = JSON.stringify(runAt(now - 7))
  const bad = [whole.slice(0, 40), '', '[]', '{"id":3}', whole.replace('"ok"', '"fine"'), whole.padEnd(200_000), '\0']
  for (const [at, text] of bad.entries()) writeFileSync(join(folder, `${now - 7}000-bad${at}.json`), text)
  const read = readRuns(folder, now)
  expect(read.runs.map(({ started }) => started - now)).toEqual([86_400, 0, -86_400, -90_000])
  expect(read.passedOver).toBe(bad.length + 2)
})

test.each([
  [{ cost_usd: 0.5, output_tokens: 3, models: { m: 1 }, subjects: [{ title: 'x', url: 'https://a/' }] }, 'all'],
  [{ cost_usd: -1, output_tokens: 1.5, models: { m: -1 }, subjects: [{ url: 'https://a/' }] }, 'nothing'],
  [{ cost_usd: '1', id: 'x', status: 'ok', started: 5, ended: 6, log: 'a', exit: 9, pid: 1 }, 'nothing'],
  [[], 'nothing'],
  [null, 'nothing'],
  ['text', 'nothing'],
  [{ cost_usd: 1, output_tokens: 'many' }, { cost_usd: 1 }],
])('of %j a run is told %j', (value, told) => {
  const kept = readReportedFields(value)
  if (told === 'nothing') {
    const { models = {}, subjects = [], ...rest } = kept
    expect([rest, Object.keys(models), subjects]).toEqual([{}, [], []])
  } else expect(kept).toEqual(told === 'all' ? value : told)
})

test.runIf(process.platform === 'linux')('a run lives as long as the very process that its record names', () => {
  const [boot = '', start = ''] = (identityOf(process.pid)?.start ?? '').split(':')
  const run = runAt(now, { status: 'running', pid: process.pid, boot, start: Number(start) })
  const { start: _, boot: __, ...withoutProc } = run
  expect(runLives(run)).toBe(true)
  expect(runLives(withoutProc), 'where the system does not tell more').toBe(true)
  expect(runLives({ ...run, boot: 'another' })).toBe(false)
  expect(runLives({ ...run, start: Number(start) + 1 })).toBe(false)
  expect(runLives({ ...run, status: 'ok' })).toBe(false)
  expect(runLives({ ...run, pid: 2 ** 30 })).toBe(false)
})
