import { fieldMark, patternFinder, type TextPattern, valueEnd } from './automaton.ts'
import type { FilterFacts } from './facts.ts'
import { type FilterKey, type FilterTest, type FilterValue, filterKeys } from './keys.ts'
import type { FilterTerm } from './parse.ts'
import { fieldBit, type SearchField, searchFields, searchIn, wordFields } from './texts.ts'

/** Judges agents by the terms of a filter. Each agent is judged once; the bits then answer all questions about it. */
interface Judge {
  /** Says which of the terms hold for an agent, before negation: term `i` is the bit `1 << i`. */
  holding(agent: FilterFacts): number
  /**
   * Makes a test of an agent's bits: true if the terms in `some`, by default all, select the agent. Each must hold, but
   * among terms with the same key, one is enough, unless they are negated or a range.
   */
  selects(some?: readonly FilterTerm[]): (holding: number) => boolean
  /** The negated terms that exclude no agent. `holding` combines the bits of all agents. */
  idle(holding: number): FilterTerm[]
}

/** Makes the judge for these terms. `now` is the service's time, for terms about the age of reports. */
export function judgeOf(terms: readonly FilterTerm[], now: number): Judge {
  return {
    holding: holdingOf(terms, now),
    selects(some = terms) {
      let [never, always] = [0, 0]
      const either = new Map<string, number>()
      for (const [i, term] of terms.entries()) {
        if (!some.includes(term)) continue
        const { key, negated, isRange } = term
        if (negated) never |= 1 << i
        else if (key === undefined || isRange) always |= 1 << i
        else either.set(key, (either.get(key) ?? 0) | (1 << i))
      }
      const groups = [...either.values()]
      return (bits) =>
        (bits & never) === 0 && (bits & always) === always && groups.every((group) => (bits & group) !== 0)
    },
    idle: (bits) => terms.filter(({ negated }, i) => negated && (bits & (1 << i)) === 0),
  }
}

/** Makes the test whether an agent is selected by a filter. */
export function filterTest(terms: readonly FilterTerm[], now: number): (agent: FilterFacts) => boolean {
  const judge = judgeOf(terms, now)
  const selects = judge.selects()
  return (agent) => selects(judge.holding(agent))
}

/** The negated terms that exclude none of these agents. */
export function idleTerms(terms: readonly FilterTerm[], agents: Iterable<FilterFacts>, now: number): FilterTerm[] {
  const negated = terms.filter((term) => term.negated)
  if (negated.length === 0) return []
  const judge = judgeOf(negated, now)
  let bits = 0
  for (const agent of agents) bits |= judge.holding(agent)
  return judge.idle(bits)
}

/** Makes the function `holding` of a judge. A filter has at most 20 terms, so an integer has a bit for each. */
function holdingOf(terms: readonly FilterTerm[], now: number): (agent: FilterFacts) => number {
  const patterns: TextPattern[] = []
  const tests: { bit: number; test: FilterTest }[] = []
  const known = new Map<string, number>()
  let everywhere = 0
  for (const [i, { key, values }] of terms.entries()) {
    const bit = 1 << i
    if (key === undefined) {
      const text = values[0]?.text ?? ''
      if (text === '') everywhere |= bit
      else patterns.push({ text, fields: wordFields, bits: bit })
      continue
    }
    for (const value of values)
      if (isText(key, value)) patterns.push(patternOf(value, filterKeys[key].field ?? 'other', bit))
    const others = values.filter((value) => !isText(key, value))
    if (others.length === 0) continue
    // Terms with the same key and values share one test.
    const same = `${key}:${others.map(({ operator = '', text }) => operator + text).join()}`
    const first = known.get(same)
    const test = filterKeys[key].read?.(others)
    if (first !== undefined)
      tests[first] = { ...(tests[first] as (typeof tests)[number]), bit: (tests[first]?.bit ?? 0) | bit }
    else if (test) known.set(same, tests.push({ bit, test }) - 1)
  }
  const find = patterns.length > 0 ? searchOf(patterns) : undefined
  return (agent) => {
    let bits = everywhere | (find?.(agent) ?? 0)
    for (const { bit, test } of tests) if (test(agent, now)) bits |= bit
    return bits
  }
}

const isText = (key: FilterKey, { operator }: FilterValue): boolean =>
  filterKeys[key].field !== undefined && operator === undefined

/** The pattern for a value that must match a whole text. A star stands for any text, unless the value is quoted. */
function patternOf({ text, quoted }: FilterValue, field: SearchField, bits: number): TextPattern {
  const sign = fieldMark(searchFields.indexOf(field))
  const pieces = quoted ? [text] : text.split('*')
  const [first = ''] = pieces
  const last = pieces.at(-1) ?? ''
  const inner = pieces.slice(1, -1).filter((piece) => piece !== '')
  const plainPattern = { fields: fieldBit(field), bits }
  if (pieces.length === 1) return { ...plainPattern, text: sign + first + valueEnd }
  const used = [first, ...inner, last].filter((piece) => piece !== '')
  if (used.length === 0) return { ...plainPattern, text: sign }
  if (used.length === 1) {
    if (first !== '') return { ...plainPattern, text: sign + first }
    return { ...plainPattern, text: last === '' ? (inner[0] ?? '') : last + valueEnd }
  }
  const longest = used.reduce((a, b) => (b.length > a.length ? b : a))
  const found = longest === first ? sign + first : longest === last ? last + valueEnd : longest
  return { ...plainPattern, text: found, holds: likeOf(first, inner, last) }
}

/**
 * Returns a function that tests whether the part of a text from `start` to `stop` begins with `first`, ends with `last`
 * and has the `inner` texts in between, in their order.
 */
const likeOf =
  (first: string, inner: readonly string[], last: string) =>
  (text: string, start: number, stop: number): boolean => {
    const until = stop - last.length
    if (until < start + first.length || !text.startsWith(last, until) || !text.startsWith(first, start)) return false
    let at = start + first.length
    for (const piece of inner) {
      const found = text.indexOf(piece, at)
      if (found < 0 || found + piece.length > until) return false
      at = found + piece.length
    }
    return true
  }

/** The maximum number of words that are searched for one by one. For more words, the automaton is faster. */
const fewWords = 3

/** Makes the function that finds patterns in the texts of an agent. It reads only the fields of these patterns. */
function searchOf(patterns: readonly TextPattern[]): (agent: FilterFacts) => number {
  const all = patterns.reduce((sum, pattern) => sum | pattern.fields, 0)
  const areWords = patterns.every((pattern) => pattern.fields === wordFields)
  const find = patternFinder(patterns)
  return searchIn(all, find, areWords && patterns.length <= fewWords ? findFew(patterns) : find)
}

const findFew =
  (patterns: readonly TextPattern[]) =>
  (text: string): number => {
    let all = 0
    for (const { text: one, bits } of patterns) if (text.includes(one)) all |= bits
    return all
  }
