import type { CommandBody, Report } from '@svc/protocol'
import { describe, expect, test } from 'vitest'
import { type GivenCommand, machineChanges, saysTheSame, versionsAfter } from './machine-changes.ts'

const at = 1_000_000
const minute = 60_000
const report = (parts: Partial<Report>): Report => ({ protocol: 1, ...parts })
const paused = { state: { label: 'Paused' } }
const working = { state: { label: 'Sorting mail' } }
const set = (values: Record<string, string | number | boolean | null>) => ({ settings: { values } })
const given = (command: CommandBody, accepted = true): GivenCommand => ({ command, accepted })
const pause: CommandBody = { type: 'pause', payload: {} }
const resume: CommandBody = { type: 'resume', payload: {} }

/**
 * Compares reports one after another, half a minute apart, each with the commands that the agent had when it wrote the
 * report. Returns the changes that each comparison found.
 */
function after(...steps: [parts: Partial<Report>, given?: GivenCommand[], at?: number][]) {
  let facts: string | null = null
  return steps.map(([parts, wishes = [], when], i) => {
    const compared = machineChanges(facts, report(parts), wishes, when ?? at + i * 30_000)
    facts = compared.facts
    return compared.changes
  })
}

describe('changes made on the machine and not by a command from here', () => {
  test('the first report changes nothing', () => {
    expect(after([{ ...paused, ...set({ every: 5 }), agent: { version: '1.0.0' } }])).toEqual([[]])
  })
  test('a pause that nobody commanded was made on the machine, and so was its end', () => {
    expect(after([working], [paused], [paused], [working])).toEqual([
      [],
      [{ kind: 'pause', key: null, before: false, after: true }],
      [],
      [{ kind: 'pause', key: null, before: true, after: false }],
    ])
  })
  test.each([
    ['accepted in the report that shows it', [given(pause)]],
    ['delivered, with its ack still to come', [given(pause, false)]],
  ])('a commanded pause, %s, is not a change made on the machine', (_how, wishes) => {
    expect(after([working], [paused, wishes])[1]).toEqual([])
  })
  test('an accepted pause that shows only two reports later still comes from here', () => {
    expect(after([working], [working, [given(pause)]], [working], [paused])).toEqual([[], [], [], []])
  })
  test('an accepted pause that never showed explains nothing ten minutes later', () => {
    const [, , late] = after([working], [working, [given(pause)]], [paused, [], at + 12 * minute])
    expect(late).toHaveLength(1)
  })
  test('a commanded pause that is over before the next report leaves nothing to wait for', () => {
    expect(after([working], [working, [given(pause), given(resume)]], [paused])[2]).toHaveLength(1)
  })
  test('a pause on the machine is noticed although a resume was commanded', () => {
    expect(after([working], [paused, [given(resume)]])[1]).toHaveLength(1)
  })
  test('settings that no command changed are noticed, with both values', () => {
    const command: CommandBody = { type: 'set', payload: { every: 7 } }
    expect(after([set({ every: 5, quiet: false })], [set({ every: 7, quiet: true }), [given(command)]])[1]).toEqual([
      { kind: 'setting', key: 'quiet', before: false, after: true },
    ])
  })
  test('a setting that a command set and that became something else was changed on the machine', () => {
    const command: CommandBody = { type: 'set', payload: { every: 7 } }
    expect(after([set({ every: 5 })], [set({ every: 9 }), [given(command)]])[1]).toHaveLength(1)
  })
  test('a setting that a command cleared may become its default', () => {
    const command: CommandBody = { type: 'set', payload: { every: null } }
    expect(after([set({ every: 5 })], [set({ every: 10 }), [given(command)]], [set({ every: 11 })])).toEqual([
      [],
      [],
      [{ kind: 'setting', key: 'every', before: 10, after: 11 }],
    ])
  })
  test('a setting that two commands set and that then went back was changed on the machine', () => {
    const wishes = [given({ type: 'set', payload: { every: 6 } }), given({ type: 'set', payload: { every: 7 } })]
    expect(after([set({ every: 5 })], [set({ every: 7 }), wishes], [set({ every: 6 })])[2]).toEqual([
      { kind: 'setting', key: 'every', before: 7, after: 6 },
    ])
  })
  test('settings that come or go with a version, and reports without settings, change nothing', () => {
    expect(after([set({ a: 1 })], [working], [set({ a: 1, b: 2 })], [set({ b: 2 })]).flat()).toEqual([])
    expect(after([set({ a: 1 })], [working], [set({ a: 2 })])[2]).toHaveLength(1)
  })
  test('long texts are compared in full and kept short', () => {
    const long = 'x'.repeat(1999)
    const [, changes] = after([set({ text: `${long}a` })], [set({ text: `${long}b` })])
    expect(changes).toHaveLength(1)
    expect(JSON.stringify(changes).length).toBeLessThan(500)
    const command: CommandBody = { type: 'set', payload: { text: `${long}b` } }
    expect(after([set({ text: `${long}a` })], [set({ text: `${long}b` }), [given(command)]])[1]).toEqual([])
  })
  test('keys that every object has are keys like others', () => {
    const odd = JSON.parse('{"__proto__": 1, "constructor": 2}')
    expect(after([set({})], [set(odd)], [set(odd)]).flat()).toEqual([])
  })
  test('another version is noticed, unless an admin wished it', () => {
    const first = machineChanges(null, report({ agent: { version: '1.0.0' } }), [], at)
    const next = report({ agent: { version: '1.1.0' } })
    expect(machineChanges(first.facts, next, [], at).changes).toEqual([
      { kind: 'version', key: null, before: '1.0.0', after: '1.1.0' },
    ])
    expect(machineChanges(first.facts, next, [], at, '1.1.0').changes).toEqual([])
  })
  test('a report that says the same as the last one is recognised without comparing', () => {
    const same = report({ ...working, ...set({ every: 5 }), agent: { version: '1.0.0' } })
    const { facts } = machineChanges(null, same, [], at)
    expect(saysTheSame(facts, same)).toBe(true)
    expect(saysTheSame(facts, report({ ...paused, ...set({ every: 5 }), agent: { version: '1.0.0' } }))).toBe(false)
    expect(saysTheSame(null, same)).toBe(false)
  })
})

describe('the versions of an agent of a blueprint', () => {
  const installed = { blueprint: 'mail', installed: '1.0.0', reported: null, previous: null }
  test.each([
    ['the first report names what was installed', installed, '1.0.0', { reported: '1.0.0', previous: null }],
    ['the first report names another', installed, '1.1.0', { reported: '1.1.0', previous: '1.0.0' }],
    ['an update', { ...installed, reported: '1.0.0' }, '1.1.0', { reported: '1.1.0', previous: '1.0.0' }],
    ['nothing new', { ...installed, reported: '1.0.0' }, '1.0.0', undefined],
    ['no version at all', installed, 'yesterday', undefined],
    ['an agent that was connected by hand', { ...installed, blueprint: null }, '1.0.0', undefined],
  ])('%s', (_what, versions, version, expected) => {
    expect(versionsAfter(versions, report({ agent: { version } }))).toEqual(expected)
    expect(versionsAfter(versions, report({ applied: { version }, agent: { version: '9.9.9' } }))).toEqual(expected)
  })
})
