/** Tests that no time in a note on the disk decides anything after the clock was set back or forward by three hours. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { askForPrevious, readAskedBack } from './launcher/back.ts'
import { nextMark } from './launcher/clock.ts'
import { takeOverProcess } from './launcher/take-over.ts'
import { type Folder, folderAt } from './machine/files/folder.ts'
import { describedNotes } from './machine/files/note.ts'
import { ownIdentity } from './machine/process/identity.ts'
import { forgetOldEntries } from './reporter/commands/journal.ts'
import { writeNote } from './state/process-note.ts'
import { noteStop, stopperOf } from './state/stop-note.ts'
import { askForUpdate, readAskedUpdate } from './updates/agent/ask.ts'
import { updateSentences } from './updates/agent/now.ts'
import { judgeBlueprintWish, stillCounted } from './updates/agent/wish.ts'
import './state/install-note.ts'
import './state/versions/runtime-note.ts'
import './reporter/bindings.ts'
import './reporter/outbox.ts'
import './reporter/status/writes.ts'
import './updates/agent/journal.ts'
import './updates/runtime/journal.ts'
import { isReadyToReport } from './worker/main.ts'

const hour = 3_600_000
const then = Date.UTC(2026, 10, 21, 12)

const shown = 'only people read it'
const number = 'it is no time'
/**
 * Each number in a note, with what it is: a time that only people read, no time at all, or the name of a check below
 * that changes the clock.
 */
const numbers: Record<string, string> = {
  'process.state.pid': number,
  'process.state.since': 'since',
  'process.state.crashes': number,
  'process.state.killAt': shown,
  'process.state.startAt': shown,
  'process.state.exit.code': number,
  'process.state.exit.at': shown,
  'update.proofs': number,
  'update.window.ran': number,
  'update.window.worse': number,
  'update.window.flips': number,
  'update.window.deaths': number,
  'update.rollbacks.at': 'rollbacks',
  'update.retry.at': 'retry',
  'updateAsk.at': 'asked',
  'runtimeNote.trial.starts': number,
  // trial.test.ts and keeping.test.ts: the time that is left is never more than the trial takes.
  'runtimeNote.trial.began': 'tested there',
  'runtimeNote.trial.processes': number,
  'runtimeNote.trial.at': shown,
  'runtimeBack.at': 'asked',
  // tested in updating.test.ts
  'selfUpdate.at': 'tested there',
  'selfUpdate.begun': number,
  'install.at': shown,
  'install.pid': number,
  'commands.commands.received': 'received',
  'commands.commands.answered': shown,
  'outbox.sent': shown,
  'outbox.status': number,
  'outbox.reached': shown,
  // tested in bindings.test.ts: the next probe is at most one interval away.
  'bindings.bindings.at': 'tested there',
  // tested in age.test.ts
  'statusWrites.mtime': 'tested there',
  'statusWrites.at': 'tested there',
  'statusWrites.looked': 'tested there',
  'statusWrites.since': 'tested there',
  'statusWrites.last': number,
  'statusWrites.longest': 'tested there',
}

/** The paths of all numbers in a JSON Schema. */
function numbersIn(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, properties, items, anyOf, oneOf } = schema as Record<string, unknown>
  const isNumber = type === 'number' || type === 'integer'
  return [
    ...(isNumber ? [path] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, of]) => numbersIn(of, `${path}.${name}`)),
    ...numbersIn(items, path),
    ...[anyOf, oneOf].flatMap((all) => (Array.isArray(all) ? all.flatMap((one) => numbersIn(one, path)) : [])),
  ]
}

test('each number in a note is known, so that a new time needs a line in the table', () => {
  const found = [...describedNotes].flatMap(([key, schema]) => numbersIn(schema, key))
  expect([...new Set(found)].sort()).toEqual(Object.keys(numbers).sort())
})

function newFolder(): Folder {
  const folder = folderAt(mkdtempSync(join(tmpdir(), 'svc-times-')))
  for (const each of [folder.journal, folder.runtimeFolder]) mkdirSync(each, { recursive: true })
  onTestFinished(() => {
    vi.useRealTimers()
    rmSync(folder.root, { recursive: true, force: true })
  })
  vi.useFakeTimers({ toFake: ['Date'], now: then })
  return folder
}

const release = { version: '1.0.0', sha256: 'a' }
const update = { state: 'idle', running: release, rollbacks: [] } as const

test.each([-3, 3])('no request of before is carried out after a change by %i h', (hours) => {
  const folder = newFolder()
  askForUpdate(folder, { id: 'a', what: 'rollback', running: '1.0.0', by: 'ann', at: then } as never)
  askForPrevious(folder, { from: release, to: release, by: 'ann', at: then })
  expect([readAskedUpdate(folder), readAskedBack(folder)]).not.toContain(undefined)
  vi.setSystemTime(then + hours * hour)
  expect([readAskedUpdate(folder), readAskedBack(folder)]).toEqual([undefined, undefined])
})

test.each([-3, 3])(
  'a version is tried again at once, and nothing says that it waits, after a change by %i h',
  (hours) => {
    const now = { ...update, retry: { version: '2.0.0', at: then + 600_000 } }
    const facts = (at: number) => ({ blueprint: 'mail', now, at })
    const desired = { blueprint: 'mail', version: '2.0.0' }
    expect(judgeBlueprintWish(desired, facts(then))).toBe('waiting')
    expect(updateSentences(now, then).join()).toContain('will be retried')
    expect(judgeBlueprintWish(desired, facts(then + hours * hour))).toBe('wanted')
    expect(updateSentences(now, then + hours * hour).join()).not.toContain('will be retried')
  },
)

test('rollbacks that lie ahead count for a day at most', () => {
  expect(stillCounted([{ version: '2.0.0', at: then }], then - 3 * hour)).toHaveLength(1)
  expect(stillCounted([{ version: '2.0.0', at: then }], then + 24 * hour)).toEqual([])
})

test('commands that lie ahead are remembered, and forgotten after seven days', () => {
  const journal = Array.from({ length: 1001 }, (_, i) => ({ id: `${i}`, type: 'pause', received: then / 1000 }))
  const answered = journal.map((entry) => ({ ...entry, answered: then / 1000, ok: true, message: '' }))
  expect(forgetOldEntries(answered, then / 1000 - 3 * 3600)).toHaveLength(1001)
  expect(forgetOldEntries(answered, then / 1000 + 8 * 86_400)).toHaveLength(1000)
})

test('a process that an earlier runtime started on a clock that was ahead runs since now', () => {
  const folder = newFolder()
  vi.useRealTimers()
  const since = Date.now() + 3 * hour
  writeNote(folder, { state: { is: 'running', ...ownIdentity(), since, crashes: 1, adopted: false } } as never)
  const { state } = takeOverProcess(folder)
  expect(state.is).toBe('running')
  expect('since' in state && state.since).toBeLessThan(since - 2 * hour)
})

test.each([
  ['never started', undefined, then, then],
  ['a second after the last start', then, then + 1000, then + 1000],
  ['in the same moment as the last start', then, then, then + 1],
  ['a second before the last start, as another clock says', then, then - 1000, then + 1],
  ['three hours before the last start: the clock was set back', then, then - 3 * hour, then - 3 * hour],
])('the mark of a start, %s', (_when, before, wall, mark) => {
  expect(nextMark(before === undefined ? undefined : (before / 1000).toFixed(3), wall)).toBe((mark / 1000).toFixed(3))
})

test('the first report does not wait for a status that is younger than a start that lies ahead', () => {
  const running = { is: 'running', pid: 1, start: '', since: then, crashes: 0, adopted: false } as const
  expect(isReadyToReport(running, then - 10_000, then)).toBe(false)
  expect(isReadyToReport(running, then - 3 * hour, then - 3 * hour)).toBe(true)
})

test.each([
  ['just now', 0, 'person'],
  ['a minute ago', -60, 'signal'],
  ['three hours ahead, before the clock was set back', 3 * 3600, 'signal'],
])('a stop that a person noted %s', (_when, seconds, stopper) => {
  const folder = newFolder()
  noteStop(folder, { by: 'machine', at: 0 })
  const at = (then + seconds * 1000) / 1000
  utimesSync(join(folder.journal, 'stopped.json'), at, at)
  expect(stopperOf(folder, 'SIGTERM', then - 10 * hour, then)).toBe(stopper)
})
