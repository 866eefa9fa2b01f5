/** The keys of a filter: which values each takes, and which agents a value selects. */
import { compareVersions, type controls, isVersion, type levels } from '@svc/protocol'
import type { WishState } from '../answers/updates.ts'
import { readDuration } from '../duration.ts'
import { type FilterFacts, isSilent, levelOf } from './facts.ts'

export type Operator = '<' | '<=' | '>' | '>=' | '='

/** A value behind a key. `text` is in lower case; in a value in quotation marks a star is only a star. */
export interface Value {
  operator: Operator | undefined
  text: string
  quoted: boolean
}

/** True if an agent is selected at the time `now`. */
export type Test = (agent: FilterFacts, now: number) => boolean

interface KeyRule {
  /** The values that the key takes, as the end of a sentence that begins with the key "takes". */
  takes: string
  /** All values that the key takes, if it takes only these words. */
  words?: readonly string[]
  /** True if the key takes an operator. */
  compares?: true
  /** Makes the test for a value; undefined if the key does not take this value. */
  read: (value: Value) => Test | undefined
}

/** A key whose values are words, each with its own test. */
function words<W extends string>(tests: Readonly<Record<W, Test>>): KeyRule {
  const all = Object.keys(tests)
  return {
    takes: `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`,
    words: all,
    read: ({ text }) => (Object.hasOwn(tests, text) ? tests[text as W] : undefined),
  }
}

/** A key that compares the whole of each text of an agent with the value. A star in the value stands for any text. */
function wholeText(takes: string, of: (agent: FilterFacts) => readonly (string | null)[]): KeyRule {
  return {
    takes,
    read: (value) => {
      const isLike = pattern(value)
      return (agent) => of(agent).some((text) => text !== null && isLike(text))
    },
  }
}

/** A key for versions: as text without an operator, and by the precedence of SemVer with one. */
function version(example: string, of: (agent: FilterFacts) => string | null): KeyRule {
  return {
    takes: `a version such as ${example}.0 or ${example}.*, or a comparison such as <${example}.0`,
    compares: true,
    read: (value) => {
      const { operator, text } = value
      if (operator === undefined) {
        const isLike = pattern(value)
        return (agent) => {
          const own = of(agent)
          return own !== null && isLike(own)
        }
      }
      if (!isVersion(text)) return undefined
      // Many agents have the same version.
      const known = new Map<string, boolean>()
      return (agent) => {
        const own = of(agent)
        if (own === null) return false
        const answer = known.get(own) ?? (isVersion(own) && holds(operator, compareVersions(own.toLowerCase(), text)))
        known.set(own, answer)
        return answer
      }
    },
  }
}

/** A key for costs in US dollars. They are compared in whole millionths, and no cost counts as 0. */
function cost(what: string, of: (agent: FilterFacts) => number | null): KeyRule {
  return {
    takes: `${what} in US dollars such as 5 or 0.20, or a comparison such as >5`,
    compares: true,
    read: ({ operator = '=', text }) => {
      if (!/^(\d{1,12}(\.\d{0,12})?|\.\d{1,12})$/.test(text)) return undefined
      const wanted = micro(Number(text))
      return (agent) => holds(operator, micro(of(agent) ?? 0) - wanted)
    },
  }
}

/** The age of the last report. An agent that has never reported has none. */
const seen: KeyRule = {
  takes: 'the age of the last report with < or >, in s, m, h or d, such as >10m',
  compares: true,
  read: ({ operator, text }) => {
    const seconds = readDuration(text, Infinity)
    if (operator === undefined || operator === '=' || seconds === undefined) return undefined
    return ({ seenAt }, now) => seenAt !== null && holds(operator, now - seenAt - seconds * 1000)
  },
}

const isOffline: Test = isSilent
const isNever: Test = ({ seenAt }) => seenAt === null
const isStopped: Test = ({ stopped }) => stopped !== null
const settled = (state: WishState) => state === 'none' || state === 'kept'
/** Selects agents of which an update, of the blueprint or of the runtime, is in one of these states. */
const updates =
  (...wanted: readonly WishState[]): Test =>
  ({ updates: { wishState, runtimeWishState } }) =>
    wanted.includes(wishState) || wanted.includes(runtimeWishState)

const rules = {
  tag: wholeText('a tag such as eu, or * for any', ({ tags }) => tags),
  host: wholeText('the name of a machine such as build-1 or build-*', ({ host }) => [host]),
  blueprint: wholeText('the name of a blueprint', ({ updates }) => [updates.blueprint]),
  name: wholeText('the name of an agent such as mail-1 or mail-*', ({ name }) => [name]),
  level: words({
    ok: (agent) => levelOf(agent) === 'ok',
    info: (agent) => levelOf(agent) === 'info',
    warn: (agent) => levelOf(agent) === 'warn',
    bad: (agent) => levelOf(agent) === 'bad',
    none: (agent) => levelOf(agent) === null,
  } satisfies Record<(typeof levels)[number] | 'none', Test>),
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
    none: ({ updates }) => settled(updates.wishState) && settled(updates.runtimeWishState) && !updates.runtimeHeld,
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
  } satisfies Record<(typeof controls)[number], Test>),
  version: version('1.4', ({ version }) => version),
  runtime: version('0.2', ({ updates }) => updates.runtime),
  cost: cost('a cost of today', ({ costToday }) => costToday),
  cost30: cost('a cost of 30 days', ({ cost30 }) => cost30),
  seen,
} satisfies Record<string, KeyRule>

export type Key = keyof typeof rules
export const keys: Readonly<Record<Key, KeyRule>> = rules
export const isKey = (text: string): text is Key => Object.hasOwn(keys, text)

const micro = (dollars: number): number => Math.round(dollars * 1_000_000)

function holds(operator: Operator, order: number): boolean {
  if (operator === '=') return order === 0
  if (operator === '<') return order < 0
  if (operator === '>') return order > 0
  return operator === '<=' ? order <= 0 : order >= 0
}

/** Tests for a value that may have stars. The time that a test takes is linear in the text for each part of the value. */
function pattern({ text, quoted }: Value): (of: string) => boolean {
  const [first = '', ...parts] = quoted ? [text] : text.split('*')
  const last = parts.pop()
  if (last === undefined) return (of) => lowered(of) === first
  return (of) => {
    const whole = lowered(of)
    const end = whole.length - last.length
    if (!whole.startsWith(first) || !whole.endsWith(last)) return false
    let at = first.length
    for (const part of parts) {
      const found = whole.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return at <= end
  }
}

/** The text that was converted last. The values of a filter look at the same text of an agent one after the other. */
const last = { text: '', lower: '' }
function lowered(text: string): string {
  if (text !== last.text) {
    last.text = text
    last.lower = text.toLowerCase()
  }
  return last.lower
}
