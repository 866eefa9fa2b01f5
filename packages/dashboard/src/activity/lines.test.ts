import type { AuditEntry } from '@svc/api'
import { expect, test } from 'vitest'
import { foldLines, subjectOf, subjects } from './lines.ts'
import { knownActions } from './sentence.ts'

test('every kind of line is found by exactly one subject', () => {
  expect(knownActions.filter((action) => subjectOf(action) === undefined)).toEqual([])
  const kinds = Object.values(subjects).flatMap(({ kinds }) => kinds)
  expect(new Set(kinds).size).toBe(kinds.length)
  expect(subjectOf('weather.changed')).toBeUndefined()
})

let id = 0
const line = (action: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ id: String(id++), at: 0, actor: 'Ada', action, subject: 'agent mail', details: {} },
  ...more,
})
const asked = (name: string) => line('command.sent', { details: { type: 'log', payload: { name } } })
const read = (name: string) => line('log.read', { details: { name, log: String(id) } })
const sizes = (entries: AuditEntry[]) => foldLines(entries).map(({ earlier }) => earlier.length + 1)

test.each<[string, () => AuditEntry[], number[]]>([
  ['nothing', () => [], []],
  ['a log that was followed', () => [read('work'), asked('work'), read('work'), asked('work')], [4]],
  ['another log', () => [read('work'), asked('job/backup')], [1, 1]],
  ['the log of another agent', () => [read('work'), { ...read('work'), subject: 'agent other' }], [1, 1]],
  ['another person', () => [read('work'), { ...read('work'), actor: 'Bob' }], [1, 1]],
  ['a log and another command', () => [read('work'), line('command.sent', { details: { type: 'pause' } })], [1, 1]],
  ['three lines alike', () => [line('code.issued'), line('code.issued'), line('code.issued')], [1, 1, 1]],
  ['four lines alike', () => Array.from({ length: 4 }, (_, i) => line('code.issued', { subject: `agent ${i}` })), [4]],
  ['a line between', () => [read('work'), line('agent.renamed'), read('work')], [1, 1, 1]],
])('%s is folded as it should be', (_what, entries, expected) => {
  expect(sizes(entries())).toEqual(expected)
})

test('the newest line stands for the others, and none is lost', () => {
  const entries = [read('work'), asked('work'), line('agent.renamed'), read('work')]
  const folded = foldLines(entries)
  expect(folded.flatMap(({ newest, earlier }) => [newest, ...earlier])).toEqual(entries)
  expect(folded[0]?.newest).toBe(entries[0])
})
