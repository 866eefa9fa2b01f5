import { expect, test } from 'vitest'
import {
  answeringAck,
  type CommandBody,
  commandDeadline,
  commandMoves,
  commandStates,
  isRepetition,
  moveCommand,
  offerOf,
  readCommand,
  whyNotOffered,
} from './commands.ts'
import type { Report } from './report.ts'

const report: Report = {
  protocol: 1,
  controls: ['pause', 'resume'],
  settings: { schema: [{ key: 'every', type: 'number', min: 1 }] },
  runs: [{ id: '1', log: 'run-1' }],
}

test.each([
  ['pause, whose payload is ignored', { type: 'pause', payload: { x: 1 } }, { type: 'pause', payload: {} }],
  ['run_now without a payload', { type: 'run_now' }, { type: 'run_now', payload: {} }],
  ['set', { type: 'set', payload: { a: 1 } }, { type: 'set', payload: { a: 1 } }],
  ['log', { type: 'log', payload: { name: 'work', x: 1 } }, { type: 'log', payload: { name: 'work' } }],
])('2.7: %s is a command', (_rule, input, value) => expect(readCommand(input)).toEqual({ ok: true, value }))

test.each([
  [null],
  ['pause'],
  [[]],
  [{}],
  [{ type: 'explode' }],
  [{ type: 'set' }],
  [{ type: 'set', payload: [] }],
  [{ type: 'log' }],
  [{ type: 'log', payload: { name: '' } }],
  [{ type: 'log', payload: { name: 7 } }],
  [{ type: '👍'.repeat(99) }],
])('2.7: %j is not a command', (input) => {
  const verdict = readCommand(input)
  expect(verdict).toMatchObject({ ok: false, code: 'wish_invalid' })
  expect(!verdict.ok && verdict.message.isWellFormed()).toBe(true)
})

test.each<[string, CommandBody, string | undefined]>([
  ['D9: a control that is reported is offered', { type: 'pause', payload: {} }, undefined],
  [
    'D9: a control that is not reported is not offered',
    { type: 'run_now', payload: {} },
    'The agent does not offer "run_now".',
  ],
  ['2.7: the schema decides on set, not the controls', { type: 'set', payload: { every: 5 } }, undefined],
  [
    '2.7: a key outside the schema is not offered',
    { type: 'set', payload: { other: 5 } },
    'There is no setting "other".',
  ],
  [
    '2.7: a value outside its bounds is not offered',
    { type: 'set', payload: { every: 0 } },
    'every must be 1 or more: got 0.',
  ],
  ['2.7: a log that a run names is offered', { type: 'log', payload: { name: 'run-1' } }, undefined],
  ['2.10: a log that the manifest declares is offered', { type: 'log', payload: { name: 'work' } }, undefined],
  ['2.7: any other log is not offered', { type: 'log', payload: { name: 'x' } }, 'The agent names no log "x".'],
])('%s', (_rule, body, said) => expect(whyNotOffered(body, offerOf(report, ['work']))).toBe(said))

test('D6: a report without settings and controls offers neither', () => {
  const offer = offerOf({ protocol: 1 })
  expect(whyNotOffered({ type: 'set', payload: { every: 5 } }, offer)).toBeDefined()
  expect(whyNotOffered({ type: 'pause', payload: {} }, offer)).toBeDefined()
})

const log = (name: string): CommandBody => ({ type: 'log', payload: { name } })
test.each<[string, CommandBody, CommandBody, boolean]>([
  ['pause is the same as pause', { type: 'pause', payload: {} }, { type: 'pause', payload: {} }, true],
  ['pause is not resume', { type: 'pause', payload: {} }, { type: 'resume', payload: {} }, false],
  ['a log is the same as that log', log('a'), log('a'), true],
  ['a log is not another log', log('a'), log('b'), false],
  ['set is always new', { type: 'set', payload: { a: 1 } }, { type: 'set', payload: { a: 1 } }, false],
])('D5: %s', (_rule, a, b, same) => expect(isRepetition(a, b)).toBe(same))

test('I2: no command returns to queued, and none leaves expired, applied or refused', () => {
  for (const from of commandStates) expect(Object.values(commandMoves[from])).not.toContain('queued')
  for (const final of ['expired', 'applied', 'refused', 'applied_late', 'refused_late', 'cancelled'] as const)
    expect(commandMoves[final]).toEqual({})
})

test.each([
  ['D2: not delivered in ten minutes', 'queued', 'timedOut', 'expired'],
  ['3.2: not answered in ten minutes', 'delivered', 'timedOut', 'failed'],
  ['D3: answered after that', 'failed', 'ackedOk', 'applied_late'],
  ['D3: refused after that', 'failed', 'ackedNo', 'refused_late'],
  ['D3: an ack of a queued command is ignored', 'queued', 'ackedOk', undefined],
  ['D3: a second ack is ignored', 'applied', 'ackedNo', undefined],
  ['a person cancels it', 'queued', 'withdrawn', 'cancelled'],
  ['a delivered command cannot be cancelled', 'delivered', 'withdrawn', undefined],
  ['D6: no longer offered', 'queued', 'misfit', 'failed'],
  ['D7: a late upload counts', 'failed', 'uploaded', 'applied_late'],
] as const)('%s: %s, %s -> %s', (_rule, from, event, to) => expect(moveCommand(from, event)).toBe(to))

test('D3: the first ack of a command answers it; a log is answered by its upload, so only a refusal counts', () => {
  const [done, refused] = [
    { id: 'a', ok: true },
    { id: 'a', ok: false },
  ]
  const other = { id: 'b', ok: true }
  expect(answeringAck({ id: 'a', type: 'pause' }, [other, done, refused])).toBe(done)
  expect(answeringAck({ id: 'a', type: 'log' }, [other, done])).toBeUndefined()
  expect(answeringAck({ id: 'a', type: 'log' }, [done, refused])).toBe(refused)
})

test('8: a command times out after ten minutes', () => expect(commandDeadline(1000)).toBe(601_000))
