/**
 * Tests which alerts stay and which are closed when an agent is stopped, paused or deleted, or when a job is removed.
 */
import { type RuleName, ruleNames } from '@svc/api'
import { pausedLabel } from '@svc/protocol'
import { expect, test } from 'vitest'
import { withMissingSubjects } from '../evaluation/findings.ts'
import type { KnownAlert } from '../store.ts'
import type { AlertFacts, ConditionFinding } from './conditions.ts'
import { findItems, noEarlierItems } from './items.ts'
import { judgeRule } from './judge.ts'
import { agentRules, defaultRule, judgeForAgent } from './rules.ts'
import { agentFacts, casesByRule, type EventEffect } from './testing/rule-cases.ts'

const now = Date.UTC(2026, 10, 27, 3, 14)
const minute = 60_000
/** The name that the agent chose. It is also the name of an item. */
const job = 'backup'
const healthy = agentFacts({ receivedAt: now })
const rule = (name: RuleName) => ({ ...defaultRule(name), on: true, after: 0, limit: 1_000_000 })

/** Changes facts to those of a paused agent: its state is "Paused", and the age of its status file is not judged. */
const whilePaused = (facts: AlertFacts): AlertFacts => ({
  ...facts,
  ...{ paused: true, statusStale: false, level: 'info', label: pausedLabel },
})

/**
 * The rules that are not judged for the state of an agent: they are about rollouts and the service, or about single
 * events, whose alerts end as soon as they open.
 */
const others: readonly RuleName[] = ['rollout', 'command', 'service']

const find = (name: RuleName, agent: AlertFacts, at = now): ConditionFinding | undefined => {
  if (name !== 'item') return judgeForAgent(rule(name), agent, { now: at, backSince: null })
  const { alert } = judgeRule(rule(name), { is: 'holds' }, undefined, { now, muted: false })
  const known = alert ? [{ item: job, alert }] : []
  return findItems(rule(name), agent, { known, earlier: noEarlierItems, now: at })[0]?.finding
}
const fateOf = (finding: ConditionFinding | undefined): EventEffect => {
  if (finding?.is === 'over') return 'over'
  if (finding?.is !== 'clear') return 'stays'
  return finding.because === undefined ? 'closes' : `closes, ${finding.because}`
}

test('every rule has its case', () => {
  const names = casesByRule.map(([name]) => name)
  expect([...names, ...others].toSorted()).toEqual([...ruleNames].toSorted())
  expect(names.filter((name) => name !== 'item').toSorted()).toEqual(agentRules.toSorted())
})

test.each(casesByRule)('the rule %s', (name, { holds, fates: { stopped, paused, jobGone } }) => {
  const facts = { ...healthy, ...holds([job], now) }
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
  const forgotten = withMissingSubjects([], [{ row } as KnownAlert], (one) => rule(one) as never)
  expect(
    forgotten.map(({ finding }) => fateOf(finding)),
    'the agent was deleted',
  ).toEqual(['over'])
})

test('an agent that a signal stopped may come back by itself, so its alerts stay', () => {
  for (const [name, { holds }] of casesByRule.filter(([one]) => one !== 'silent')) {
    const facts = { ...healthy, ...holds([job], now), stopped: 'signal' } as const
    expect(fateOf(find(name, facts, now + 24 * 60 * minute)), name).toBe('stays')
  }
})
