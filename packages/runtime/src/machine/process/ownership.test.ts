import { expect, test } from 'vitest'
import { isSvcCommand, ownershipRuleOf, ownershipRules, type ProcessFacts } from './ownership.ts'

/** A process that the agent started: every other row differs from it in one fact. */
const its: ProcessFacts = {
  mark: 'this agent',
  life: 'alive',
  start: 'any',
  sees: 'this folder',
  relation: 'none',
  session: 'of the agent',
}

const table: readonly [Partial<ProcessFacts>, 'end' | 'leave', string][] = [
  [{ mark: 'unreadable' }, 'leave', 'its environment cannot be read'],
  [{ mark: 'none' }, 'leave', 'it has no mark'],
  [{ mark: 'another agent' }, 'leave', 'it has the mark of another agent'],
  [{ life: 'ended' }, 'leave', 'it has ended'],
  [{ life: 'reused' }, 'leave', 'another process has its pid by now'],
  [{ start: 'spared' }, 'leave', 'it belongs to the start that goes on'],
  [{ sees: 'another folder' }, 'leave', 'it sees another folder at that path'],
  [{ relation: 'svc' }, 'leave', 'it is a runtime or a command of svc'],
  [{ relation: 'above svc' }, 'leave', 'a runtime or a command of svc descends from it'],
  [{ relation: 'below svc' }, 'leave', 'it inherited its mark from a runtime or a command of svc'],
  [{ session: 'of a stranger' }, 'leave', 'it is in the session of a stranger'],
  [{}, 'end', 'the agent started it'],
]

test.each(table)('a process with %j: %s, because %s', (facts, verdict, says) => {
  expect(ownershipRuleOf({ ...its, ...facts })).toMatchObject({ verdict, says })
})

test('every row has a test, and only the last one ends a process', () => {
  expect(ownershipRules.map(({ says }) => says)).toEqual(table.map(([, , says]) => says))
  expect(ownershipRules.map(({ verdict }) => verdict).lastIndexOf('leave')).toBe(ownershipRules.length - 2)
})

test('any single reason to leave a process outweighs all others', () => {
  for (const [one, verdict] of table)
    for (const [other] of table)
      if (verdict === 'leave') expect(ownershipRuleOf({ ...its, ...other, ...one }).verdict).toBe('leave')
})

test.each([
  [['/usr/bin/node', '/a/.svc/runtime/start.cjs', 'run', '--dir', '/a'], true],
  [['node', '-e', 'require(process.argv[1])', '/opt/renamed', 'run', '--dir', '/a'], true],
  [['python3', './svc.pyz', 'restart'], true],
  [['/usr/bin/node', '/home/ann/.local/bin/svc', 'pause', '--json'], true],
  [['node', '/b/.svc/runtime/svc.pyz.previous', 'stop'], true],
  [['node', 'own.ts', 'remove', '--yes'], true],
  [['node', '/home/ann/.local/bin/svc', 'logs', '-f'], false],
  [['node', 'other.ts', 'run'], false],
  [['npm', 'start'], false],
  [['sh', '-c', 'svc restart'], false],
  [['grep', 'svc', 'run.log'], false],
  [[], false],
] as const)('the arguments %j are those of a runtime or of a command that ends agents: %s', (args, is) =>
  expect(isSvcCommand(args, (arg) => arg === 'own.ts')).toBe(is),
)
