/**
 * Tests which alerts stay and which are closed when an agent is stopped, paused or deleted, or when a job is removed.
 */
import { type RuleName, ruleNames } from '@svc/api'
import { pausedLabel } from '@svc/protocol'
import { expect, test } from 'vitest'
import { noSigns } from '../../fleet/reports/signs.ts'
import { withForgotten } from '../evaluation/findings.ts'
import type { KnownAlert } from '../store.ts'
import type { AlertFacts, ConditionFinding, EndCause } from './conditions.ts'
import { findItems, noEarlier } from './items.ts'
import { judgeRule } from './judge.ts'
import { agentRules, defaultRule, findInAgent } from './rules.ts'

const now = Date.UTC(2026, 10, 27, 3, 14)
const minute = 60_000
const healthy: AlertFacts = {
  ...{ receivedAt: now, intervalSeconds: 30, stopped: null, paused: false, level: 'ok', label: null },
  ...{
    statusStale: false,
    diskFull: false,
    update: null,
    runs: [],
    cost: { today: 0, before: [] },
    starts: { today: 0, before: [] },
  },
  ...{ twoReporters: false, hours: null, signs: noSigns },
}
const signs = (more: Partial<AlertFacts['signs']>) => ({ signs: { ...noSigns, ...more } })
const rule = (name: RuleName) => ({ ...defaultRule(name), on: true, after: 0, limit: 1_000_000 })

/**
 * A report says this while the agent is paused: the state is "Paused", and the age of the status file means nothing.
 */
const whilePaused = (facts: AlertFacts): AlertFacts => ({
  ...facts,
  ...{ paused: true, statusStale: false, level: 'info', label: pausedLabel },
})

type Fate = 'stays' | 'closes' | `closes, ${EndCause}` | 'over' | 'none'

/**
 * A stop closes what only reports can end, since none follows. It leaves what people at the service or the clock end.
 * `none` is a case that does not exist.
 */
const fates: readonly [
  rule: RuleName,
  facts: Partial<AlertFacts>,
  fates: Record<'stopped' | 'paused' | 'jobGone' | 'agentDeleted', Fate>,
][] = [
  // A stopped agent is not missed. A paused one reports.
  [
    'silent',
    { receivedAt: now - 60 * minute },
    { stopped: 'closes, stopped', paused: 'none', jobGone: 'none', agentDeleted: 'over' },
  ],
  [
    'bad',
    { level: 'bad' },
    { stopped: 'closes, stopped', paused: 'closes, paused', jobGone: 'none', agentDeleted: 'over' },
  ],
  [
    'warning',
    { level: 'warn' },
    { stopped: 'closes, stopped', paused: 'closes, paused', jobGone: 'none', agentDeleted: 'over' },
  ],
  // The items of a paused agent are reported as before.
  [
    'item',
    signs({ items: ['Job backup'] }),
    { stopped: 'closes, stopped', paused: 'stays', jobGone: 'closes', agentDeleted: 'over' },
  ],
  [
    'process',
    signs({ process: 'bad' }),
    { stopped: 'closes, stopped', paused: 'closes, paused', jobGone: 'none', agentDeleted: 'over' },
  ],
  [
    'status_stale',
    { statusStale: true },
    { stopped: 'closes, stopped', paused: 'closes, paused', jobGone: 'none', agentDeleted: 'over' },
  ],
  [
    'binding',
    signs({ bindings: ['mail'] }),
    { stopped: 'closes, stopped', paused: 'stays', jobGone: 'none', agentDeleted: 'over' },
  ],
  ['disk', { diskFull: true }, { stopped: 'closes, stopped', paused: 'stays', jobGone: 'none', agentDeleted: 'over' }],
  [
    'gauge',
    signs({ gauges: ['disk'] }),
    { stopped: 'closes, stopped', paused: 'stays', jobGone: 'none', agentDeleted: 'over' },
  ],
  // The version is held by the service until an admin lifts the hold or requests another version.
  [
    'update',
    { update: { version: '2', outcome: 'failed' } },
    { stopped: 'stays', paused: 'stays', jobGone: 'none', agentDeleted: 'over' },
  ],
  [
    'run_failed',
    { runs: ['failed', 'failed', 'failed'] },
    { stopped: 'closes, stopped', paused: 'stays', jobGone: 'stays', agentDeleted: 'over' },
  ],
  [
    'run_long',
    signs({ started: now / 1000 - 60 }),
    { stopped: 'closes, stopped', paused: 'stays', jobGone: 'none', agentDeleted: 'over' },
  ],
  // The costs of a day are what they are until it ends.
  [
    'cost_day',
    { cost: { today: 2_000_000, before: [] } },
    { stopped: 'stays', paused: 'stays', jobGone: 'stays', agentDeleted: 'over' },
  ],
  [
    'cost_jump',
    { cost: { today: 9_000_000, before: [1, 1, 1] } },
    { stopped: 'stays', paused: 'stays', jobGone: 'stays', agentDeleted: 'over' },
  ],
  [
    'runaway',
    { starts: { today: 99, before: [1, 1, 1] } },
    { stopped: 'stays', paused: 'stays', jobGone: 'stays', agentDeleted: 'over' },
  ],
  [
    'two_reporters',
    { twoReporters: true },
    { stopped: 'closes, stopped', paused: 'stays', jobGone: 'none', agentDeleted: 'over' },
  ],
]
/** Rules about something else than an agent, or about single events, which end as they open. */
const others: readonly RuleName[] = ['rollout', 'command', 'service']

const find = (name: RuleName, agent: AlertFacts, at = now): ConditionFinding | undefined => {
  if (name !== 'item') return findInAgent(rule(name), agent, { now: at, backSince: null })
  const { alert } = judgeRule(rule(name), { is: 'holds' }, undefined, { now, muted: false })
  const known = alert ? [{ item: 'Job backup', alert }] : []
  return findItems(rule(name), agent, { known, earlier: noEarlier, now: at })[0]?.finding
}
const fateOf = (finding: ConditionFinding | undefined): Fate => {
  if (finding?.is === 'over') return 'over'
  if (finding?.is !== 'clear') return 'stays'
  return finding.because === undefined ? 'closes' : `closes, ${finding.because}`
}

test('every rule has its line', () => {
  expect([...fates.map(([name]) => name), ...others].toSorted()).toEqual([...ruleNames].toSorted())
  const ofAgents = fates.map(([name]) => name).filter((name) => name !== 'item')
  expect(ofAgents.toSorted()).toEqual(agentRules.toSorted())
})

test.each(fates)('the rule %s', (name, more, { stopped, paused, jobGone, agentDeleted }) => {
  const facts = { ...healthy, ...more }
  expect(find(name, facts)?.is).toBe('holds')
  const last = { ...facts, stopped: 'person' } as const
  expect(fateOf(find(name, last)), 'just stopped').toBe(stopped)
  expect(fateOf(find(name, last, now + 24 * 60 * minute)), 'stopped a day ago').toBe(stopped)
  if (paused !== 'none') expect(fateOf(find(name, whilePaused(facts))), 'paused').toBe(paused)
  if (jobGone !== 'none') {
    const without = { ...facts, signs: { ...facts.signs, items: [] } }
    expect(fateOf(find(name, without)), 'its job was removed').toBe(jobGone)
  }
  const row = { rule: name, subject_kind: 'agent', subject_id: 'a', subject_name: 'vela', item: '' }
  const forgotten = withForgotten([], [{ row } as KnownAlert], (one) => rule(one) as never)
  expect(
    forgotten.map(({ finding }) => fateOf(finding)),
    'the agent was deleted',
  ).toEqual([agentDeleted])
})

test('an agent that a signal stopped may come back by itself, so its alerts stay', () => {
  for (const [name, more] of fates.filter(([one]) => one !== 'silent')) {
    const facts = { ...healthy, ...more, stopped: 'signal' } as const
    expect(fateOf(find(name, facts, now + 24 * 60 * minute)), name).toBe('stays')
  }
})
