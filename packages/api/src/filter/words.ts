import type { FilterFacts } from './facts.ts'
import type { Test } from './keys.ts'

/** Separates the texts of an agent. Reports have it in no text (D13). */
const separator = '\0'
/** All texts of an agent in which words are found, kept as long as its facts. */
const texts = new WeakMap<FilterFacts, string>()

/** Selects agents with a word, in lower case, anywhere in one of their texts. */
export const finds =
  (word: string): Test =>
  (agent) =>
    textsOf(agent).includes(word) && !word.includes(separator)

function textsOf(agent: FilterFacts): string {
  const known = texts.get(agent)
  if (known !== undefined) return known
  const { name, label, detail, doing, host, version, updates, tags } = agent
  let joined = name
  for (const text of [label, detail, doing, host, version, updates.blueprint])
    if (text !== null) joined += separator + text
  for (const tag of tags) joined += separator + tag
  const lower = joined.toLowerCase()
  texts.set(agent, lower)
  return lower
}
