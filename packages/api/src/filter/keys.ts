/** The keys of a filter: which values each takes, and which agents a value selects. */
import { type controls, isVersion, type levels } from '@svc/protocol'
import type { WishState } from '../answers/updates.ts'
import { readDuration } from '../words/durations.ts'
import {
  type CompareOperator,
  type Comparison,
  compareRanked,
  knownVersion,
  matchesAnyOf,
  rankedVersion,
} from './compare.ts'
import { type FilterFacts, isOffline, levelOf } from './facts.ts'
import type { SearchField } from './texts.ts'

/** A value of a term. `text` is folded (look.ts). If `quoted`, a star in it does not stand for other text. */
export interface FilterValue {
  operator: CompareOperator | undefined
  text: string
  quoted: boolean
}

/** True if an agent is selected at the time `now`. */
export type FilterTest = (agent: FilterFacts, now: number) => boolean

interface KeyRule {
  /** The values that the key takes, as the rest of a sentence such as "level takes …". */
  takes: string
  /** The words that the key takes; undefined if it takes other values. */
  words?: readonly string[]
  /** True if the key takes an operator. */
  compares?: true
  /** The field of an agent that a value without an operator must match as a whole (selects.ts). */
  field?: SearchField
  /**
   * Makes the test whether an agent has one of the values; undefined if the key does not take one of them. Values that
   * are compared with `field` are not passed.
   */
  read?: (values: readonly FilterValue[]) => FilterTest | undefined
}

/** A key whose values are words, each with its own test. */
function words<W extends string>(tests: Readonly<Record<W, FilterTest>>): KeyRule {
  const all = Object.keys(tests)
  return {
    takes: `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`,
    words: all,
    read: (values) => {
      const wanted = [...new Set(values.map(({ text }) => text))]
      if (!wanted.every((text) => Object.hasOwn(tests, text))) return undefined
      const [first, ...others] = wanted.map((text) => tests[text as W])
      if (first && others.length === 0) return first
      return (agent, now) => first?.(agent, now) || others.some((test) => test(agent, now))
    },
  }
}

/** A key whose value must match a whole text of an agent. A star in the value stands for any text. */
const wholeText = (takes: string, field: SearchField): KeyRule => ({ takes, field })

/** A key for versions. A value with an operator is compared by the precedence of SemVer, any other as text. */
const version = (example: string, field: SearchField, of: (agent: FilterFacts) => string | null): KeyRule => ({
  takes: `a version such as ${example}.0 or ${example}.*, or a comparison such as <${example}.0`,
  compares: true,
  field,
  read: (values) => {
    if (!values.every(({ text }) => isVersion(text))) return undefined
    const isWithin = matchesAnyOf(
      values.map(({ operator = '=', text }) => ({ operator, than: rankedVersion(text) })),
      compareRanked,
    )
    // Many agents have the same version, so each version is judged once.
    const known = new Map<string, boolean>()
    return (agent) => {
      const own = of(agent)
      if (own === null) return false
      const answer = known.get(own)
      if (answer !== undefined) return answer
      const ranked = knownVersion(own)
      const holds = ranked !== undefined && isWithin(ranked)
      known.set(own, holds)
      return holds
    }
  },
})

/** A key for costs in US dollars. Costs are compared in whole millionths, and no cost counts as 0. */
const cost = (what: string, of: (agent: FilterFacts) => number | null): KeyRule => ({
  takes: `${what} in US dollars such as 5 or 0.20, or a comparison such as >5`,
  compares: true,
  read: (values) => {
    if (!values.every(({ text }) => /^(\d{1,12}(\.\d{0,12})?|\.\d{1,12})$/.test(text))) return undefined
    const isWithin = matchesAnyOf(
      values.map(({ operator = '=', text }) => ({ operator, than: micro(Number(text)) })),
      (a, b) => a - b,
    )
    return (agent) => isWithin(micro(of(agent) ?? 0))
  },
})

/** A key for the age of the last report. It never selects an agent that has not reported. */
const seen: KeyRule = {
  takes: 'the age of the last report with < or >, in s, m, h or d, such as >10m',
  compares: true,
  read: (values) => {
    const wanted: Comparison<number>[] = []
    for (const { operator, text } of values) {
      const seconds = readDuration(text, Infinity)
      if (operator === undefined || operator === '=' || seconds === undefined) return undefined
      wanted.push({ operator, than: seconds * 1000 })
    }
    const isWithin = matchesAnyOf(wanted, (a, b) => a - b)
    return ({ seenAt }, now) => seenAt !== null && isWithin(now - seenAt)
  },
}

const isNever: FilterTest = ({ seenAt }) => seenAt === null
const isStopped: FilterTest = ({ stopped }) => stopped !== null
const isSettledState = (state: WishState) => state === 'none' || state === 'kept'
/** Selects agents whose update of the blueprint or of the runtime is in one of these states. */
const updates =
  (...wanted: readonly WishState[]): FilterTest =>
  ({ updates: { wishState, runtimeWishState } }) =>
    wanted.includes(wishState) || wanted.includes(runtimeWishState)

const rules = {
  tag: wholeText('a tag such as eu, or * for any', 'tag'),
  host: wholeText('the name of a machine such as build-1 or build-*', 'host'),
  blueprint: wholeText('the name of a blueprint', 'blueprint'),
  name: wholeText('the name of an agent such as mail-1 or mail-*', 'name'),
  level: words({
    ok: (agent) => levelOf(agent) === 'ok',
    info: (agent) => levelOf(agent) === 'info',
    warn: (agent) => levelOf(agent) === 'warn',
    bad: (agent) => levelOf(agent) === 'bad',
    none: (agent) => levelOf(agent) === null,
  } satisfies Record<(typeof levels)[number] | 'none', FilterTest>),
  is: words({
    never: isNever,
    stopped: isStopped,
    offline: isOffline,
    online: (agent, now) => !isNever(agent, now) && !isStopped(agent, now) && !isOffline(agent, now),
    running: ({ doing }) => Boolean(doing),
    paused: ({ label }) => label === 'Paused',
    late: ({ statusLate, stopped }) => statusLate && stopped === null,
    outdated: ({ updates }) => updates.runtimeOutdated,
  }),
  update: words({
    none: ({ updates }) =>
      isSettledState(updates.wishState) && isSettledState(updates.runtimeWishState) && !updates.runtimeHeld,
    pending: updates('queued', 'waiting', 'offered'),
    trying: updates('trying'),
    failed: updates('failed'),
    rolled_back: updates('rolled_back'),
    held: (agent, now) => agent.updates.runtimeHeld || updates('held')(agent, now),
  }),
  alert: words({
    open: ({ alerts }) => alerts.open > 0,
    acknowledged: ({ alerts }) => alerts.acknowledged > 0,
    none: ({ alerts }) => alerts.open + alerts.acknowledged === 0,
  }),
  can: words({
    pause: (agent) => agent.controls.includes('pause'),
    resume: (agent) => agent.controls.includes('resume'),
    run_now: (agent) => agent.controls.includes('run_now'),
  } satisfies Record<(typeof controls)[number], FilterTest>),
  version: version('1.4', 'version', ({ version }) => version),
  runtime: version('0.2', 'runtime', ({ updates }) => updates.runtime),
  cost: cost('a cost of today', ({ costToday }) => costToday),
  cost30: cost('a cost of 30 days', ({ cost30 }) => cost30),
  seen,
} satisfies Record<string, KeyRule>

export type FilterKey = keyof typeof rules
/** All keys of a filter, with their rules. */
export const filterKeys: Readonly<Record<FilterKey, KeyRule>> = rules
export const isFilterKey = (text: string): text is FilterKey => Object.hasOwn(filterKeys, text)

const micro = (dollars: number): number => Math.round(dollars * 1_000_000)
