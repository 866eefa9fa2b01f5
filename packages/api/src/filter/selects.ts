import type { FilterFacts } from './facts.ts'
import type { Test } from './keys.ts'
import type { Term } from './parse.ts'

/**
 * Makes the test whether an agent is selected by a filter. All terms must hold, but of terms with the same key, one is
 * enough unless they are negated or a range.
 */
export function selector(terms: readonly Term[], now: number): (agent: FilterFacts) => boolean {
  const all: Test[] = []
  const either = new Map<string, Test[]>()
  for (const { key, negated, isRange, selects } of terms) {
    if (negated) all.push((agent, at) => !selects(agent, at))
    else if (key === undefined || isRange) all.push(selects)
    else either.set(key, [...(either.get(key) ?? []), selects])
  }
  for (const tests of either.values()) all.push((agent, at) => tests.some((test) => test(agent, at)))
  return (agent) => all.every((test) => test(agent, now))
}
