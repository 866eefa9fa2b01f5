/**
 * Agents choose the names of items, bindings, gauges, runs and models. Whatever they choose, the alerts and messages
 * about one agent are bounded: at once, in the first hour, and in a day. Here the rules are judged as in the service,
 * with alerts in memory.
 */
import { otherItems, type RuleName } from '@svc/api'
import { expect, test } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import type { AlertFacts } from './conditions.ts'
import { findItems } from './items.ts'
import { type Alert, judgeRule, openingsWithin, openingTimes } from './judge.ts'
import { agentRules, defaultRule, judgeForAgent } from './rules.ts'
import { agentFacts, casesByRule, ruleCases } from './testing/rule-cases.ts'

const start = Date.UTC(2026, 10, 27)
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/**
 * Judges a rule for an agent every 30 s until `until`. `factsAt` returns the facts that are known at a time. Returns
 * when messages were sent, and the number of alerts that opened.
 */
function lives(
  name: RuleName,
  factsAt: (at: number) => Partial<AlertFacts>,
  { after, until }: { after: number; until: number },
) {
  const rule = { ...defaultRule(name), on: true, after, limit: 1_000_000, reminds: false }
  const current = new Map<string, Alert>()
  const ended: { item: string; alert: Alert; opened: number }[] = []
  const said: number[] = []
  for (let at = 0; at < until; at += 30 * second) {
    const now = start + at
    const facts = agentFacts({ receivedAt: now, ...factsAt(at) })
    const recent = ended.filter(({ alert }) => (alert.endedAt ?? 0) > now - openingsWithin)
    const inDay = ended.filter(({ opened }) => opened > now - day).length
    const known = [...current].map(([item, alert]) => ({ item, alert }))
    const found =
      name === 'item'
        ? findItems(rule, facts, { known, earlier: { ended: recent.map(({ item }) => item), inDay }, now })
        : [{ item: '', finding: judgeForAgent(rule, facts, { now, backSince: null }) }]
    for (const { item, finding } of found) {
      const before = recent.filter((one) => one.item === item || item === otherItems)
      const openings = openingTimes(before.map((one) => ({ item: one.item, openings: one.alert.openings })))
      const { alert, message } = judgeRule(rule, finding, current.get(item), { now, muted: false, openings })
      if (message !== undefined) said.push(at)
      if (alert === undefined || alert.endedAt !== null) current.delete(item)
      else current.set(item, alert)
      if (alert?.endedAt != null) ended.push({ item, alert, opened: alert.openedAt ?? 0 })
    }
  }
  return { said, alerts: ended.length + [...current.values()].filter(({ openedAt }) => openedAt !== null).length }
}

const rules = casesByRule.map(([name]) => name)
type JudgedRule = (typeof rules)[number]

/** The maximum number of messages at once, in the first hour and in a day, and of alerts in a day. */
const bounds = (name: JudgedRule) =>
  name === 'item'
    ? { atOnce: 5, inHour: 12, inDay: 200, alerts: 100 }
    : { atOnce: 1, inHour: 6, inDay: 100, alerts: 50 }

/** Makes the facts of each generation of names only once, unless they differ with the time. */
function keeping(make: (generation: number, at: number) => Partial<AlertFacts>, differs: boolean): typeof make {
  const kept = new Map<number, Partial<AlertFacts>>()
  return (generation, at) => {
    const known = differs ? undefined : kept.get(generation)
    const facts = known ?? make(generation, at)
    kept.set(generation, facts)
    return facts
  }
}

const namesOf = (generation: number, count = 1000) =>
  Array.from({ length: count }, (_, i) => `n${generation.toString(36)}x${i.toString(36)}`)

test('every rule about an agent has its line', () => {
  expect(rules.toSorted()).toEqual([...agentRules, 'item'].toSorted())
})

test.each(rules)('a report with a thousand new names: the rule %s', (name) => {
  const heldBy = keeping((_, at) => ruleCases[name].holds(namesOf(0), start + at), name === 'silent')
  for (const after of [0, 2 * minute]) {
    const { said, alerts } = lives(name, (at) => heldBy(0, at), { after, until: 30 * minute })
    expect(said.length).toBeLessThanOrEqual(bounds(name).atOnce)
    expect(alerts).toBeLessThanOrEqual(bounds(name).atOnce)
    expect(alerts).toBeGreaterThan(0)
  }
})

/** How long names stay bad, and for how long nothing is bad after that. */
const rhythms: readonly [bad: number, well: number][] = [
  [30 * second, 0],
  [3 * minute, 0],
  [3 * minute, 40 * minute],
  [3 * minute, 3 * minute],
  [20 * minute, 20 * minute],
]

test.each(rules)('new names over a day: the rule %s', (name) => {
  const { inHour, inDay, alerts: most } = bounds(name)
  for (const [bad, well] of name === 'item' ? byLevel(rhythms.slice(1, 3), rhythms, rhythms) : rhythms.slice(-2))
    for (const after of name === 'item' && bad < 20 * minute ? [0, 2 * minute] : [0]) {
      const heldBy = keeping(
        (generation, at) => ruleCases[name].holds(namesOf(generation, 30), start + at),
        name === 'silent',
      )
      const factsAt = (at: number) => {
        const generation = Math.floor(at / (bad + well))
        return at % (bad + well) < bad ? heldBy(generation, at) : {}
      }
      const { said, alerts } = lives(name, factsAt, { after, until: day })
      const rhythm = `bad for ${bad / minute} min, well for ${well / minute} min, after ${after / minute} min`
      expect(said.filter((at) => at < hour).length, `messages in the first hour: ${rhythm}`).toBeLessThanOrEqual(inHour)
      expect(said.length, `messages in a day: ${rhythm}`).toBeLessThanOrEqual(inDay)
      expect(alerts, `alerts in a day: ${rhythm}`).toBeLessThanOrEqual(most)
    }
})
