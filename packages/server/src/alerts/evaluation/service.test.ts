import { expect, test } from 'vitest'
import {
  type ChannelFacts,
  channelFinding,
  jumpBetween,
  maySendHeartbeat,
  type NodeActivity,
  type ServiceFacts,
  serviceFindings,
} from './service.ts'

const now = Date.UTC(2026, 10, 22, 14)
const minute = 60_000
const day = 24 * 60 * minute
const fine: ServiceFacts = {
  diskFree: 0.5,
  lastBackupAt: now - day,
  clockJump: null,
  evaluatedAt: now - 15_000,
  wentBack: null,
}
const wrong = (more: Partial<ServiceFacts>) =>
  serviceFindings({ ...fine, ...more }, now).flatMap(({ about, finding }) =>
    finding.is === 'holds' ? [`${about.id}: ${finding.label}`] : [],
  )

test('a healthy service has no findings', () => {
  expect(serviceFindings(fine, now).map(({ finding }) => finding.is)).toEqual(Array(5).fill('clear'))
})

test.each<[string, Partial<ServiceFacts>, string[]]>([
  [
    'its database lost changes',
    { wentBack: { from: now - 3_000, until: now } },
    ['database: it went back and lost changes: run svc-server database status'],
  ],
  ['less than 10% of its disk is free', { diskFree: 0.0999 }, ['disk: 9% is free']],
  ['10% of its disk is free', { diskFree: 0.1 }, []],
  ['it cannot be known what is free', { diskFree: null }, []],
  ['there was no backup for 7 days', { lastBackupAt: now - 7 * day - 1 }, ['backup: there was none for 7 days']],
  ['there never was one', { lastBackupAt: null }, []],
  ['its clock jumped forward', { clockJump: { at: now, by: 61 * minute } }, ['clock: it jumped by 61 minutes']],
  ['its clock jumped back', { clockJump: { at: now, by: -61 * minute } }, ['clock: it jumped by -61 minutes']],
  ['its clock was put right by a little', { clockJump: { at: now, by: 5 * minute } }, []],
  ['its clock jumped an hour ago', { clockJump: { at: now - 60 * minute, by: 61 * minute } }, []],
  ['its evaluation is behind', { evaluatedAt: now - minute - 1 }, ['evaluation: it is more than a minute behind']],
  ['everything is wrong', { diskFree: 0, lastBackupAt: 0 }, ['disk: 0% is free', 'backup: there was none for 7 days']],
])('%s', (_fact, more, found) => expect(wrong(more)).toEqual(found))

const channel = (more: Partial<ChannelFacts> = {}) =>
  channelFinding({ id: 'c', name: 'ops', enabled: true, disabledWhy: null, failingSince: null, ...more }, now).is

test('a channel that keeps failing for an hour or was disabled by the service is trouble, one that a person disabled is not', () => {
  expect(channel()).toBe('clear')
  expect(channel({ failingSince: now - 60 * minute + 1 })).toBe('clear')
  expect(channel({ failingSince: now - 60 * minute })).toBe('holds')
  expect(channel({ enabled: false, disabledWhy: 'gone' })).toBe('holds')
  expect(channel({ enabled: false, failingSince: 1 })).toBe('over')
})

test('a jump of the clock is distinguished from time that passes', () => {
  const before = { wall: now, mono: 5 }
  expect(jumpBetween(before, { wall: now + 15_000, mono: 15_005 })).toBe(0)
  expect(jumpBetween(before, { wall: now - 60 * minute, mono: 15_005 })).toBe(-60 * minute - 15_000)
})

const alive: NodeActivity = { wroteAt: now, evaluatedAt: now, lookedAt: now, dueAt: null }
test.each<[string, Partial<NodeActivity>, boolean]>([
  ['that works', {}, true],
  ['whose deliveries wait for a little', { dueAt: now - 2 * minute }, true],
  ['whose deliveries are overdue', { dueAt: now - 2 * minute - 1 }, false],
  ['whose database takes no writes', { wroteAt: now - minute - 1 }, false],
  ['that does not evaluate', { evaluatedAt: now - minute - 1 }, false],
  ['that has not evaluated yet', { evaluatedAt: null }, false],
  ['that does not look for deliveries', { lookedAt: now - minute - 1 }, false],
])('a service %s: whether its heartbeat goes out', (_which, more, beats) =>
  expect(maySendHeartbeat({ ...alive, ...more }, now)).toBe(beats),
)
