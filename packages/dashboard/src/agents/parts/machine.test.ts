import type { AgentPage, MachineChange } from '@svc/api'
import { expect, test } from 'vitest'
import { pauseByMachine, settingByMachine, versionByMachine } from './machine.ts'

const change = (
  kind: MachineChange['kind'],
  key: string | null,
  before: MachineChange['before'],
  after: MachineChange['after'],
) => ({ at: 1, kind, key, before, after }) satisfies MachineChange
const page = (machineChanges: MachineChange[], report: object, running: string | null = null) =>
  ({ machineChanges, report, versions: { installed: null, running, previous: null } }) as unknown as AgentPage

test('a pause made on the machine is marked while the agent is paused, until a command from the page resumes it', () => {
  const paused = change('pause', null, false, true)
  expect(pauseByMachine(page([paused], { state: { label: 'Paused' } }))).toBe(paused)
  expect(pauseByMachine(page([paused], { state: { label: 'Working' } }))).toBeUndefined()
  expect(pauseByMachine(page([], { state: { label: 'Paused' } }))).toBeUndefined()
})

test('a resume made on the machine is marked, and only the newest change counts', () => {
  const resumed = change('pause', null, true, false)
  const paused = change('pause', null, false, true)
  expect(pauseByMachine(page([resumed, paused], { state: { label: 'Working' } }))).toBe(resumed)
  expect(pauseByMachine(page([resumed, paused], { state: { label: 'Paused' } }))).toBeUndefined()
})

test('a setting is marked while it has the value it was given on the machine', () => {
  const set = change('setting', 'every', 10, 5)
  expect(settingByMachine(page([set], { settings: { values: { every: 5 } } }), 'every')).toBe(set)
  expect(settingByMachine(page([set], { settings: { values: { every: 7 } } }), 'every')).toBeUndefined()
  expect(settingByMachine(page([set], { settings: { values: { every: 5 } } }), 'tone')).toBeUndefined()
  expect(settingByMachine(page([set], {}), 'every')).toBeUndefined()
})

test('a long text is recognised by its start, and a setting with the name of an inherited key is not marked', () => {
  const text = 'x'.repeat(500)
  const set = change('setting', 'note', null, `${text.slice(0, 150)}… (and a sum)`)
  expect(settingByMachine(page([set], { settings: { values: { note: text } } }), 'note')).toBe(set)
  expect(settingByMachine(page([set], { settings: { values: {} } }), 'constructor')).toBeUndefined()
})

test('a version is marked while it runs', () => {
  const went = change('version', null, '1.0.0', '1.1.0')
  expect(versionByMachine(page([went], {}, '1.1.0'))).toBe(went)
  expect(versionByMachine(page([went], {}, '1.2.0'))).toBeUndefined()
  expect(versionByMachine(page([went], { agent: { version: '1.1.0' } }))).toBe(went)
})
