/** The tags of one or more agents, as a person changes them. */
import type { TaggedAgent } from '@svc/api'
import { maxTags, wrongTag } from '@svc/api/filter'
import { listIn } from '@svc/protocol'

/** The number of agents that have each tag. */
export type TagCounts = ReadonlyMap<string, number>
/** The tags that agents get, and those that are taken from them. */
interface TagsToChange {
  add: string[]
  remove: string[]
}
/** The tags that are to change: true if all agents get the tag, false if it is taken from all. */
export type TagChoices = ReadonlyMap<string, boolean>

/** Counts the agents that have each tag. */
export function countTags(agents: readonly TaggedAgent[]): TagCounts {
  const counts = new Map<string, number>()
  for (const { tags } of agents) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return counts
}

/** The tags in a text, which are separated by commas or spaces. */
export const readTypedTags = (text: string): string[] => listIn(text.replace(/\s+/g, ',')).filter((part) => part !== '')

/** The reason why a text does not name tags of one agent; null if it does. */
export function wrongWithTags(text: string): string | null {
  const tags = readTypedTags(text)
  for (const tag of tags) {
    const wrong = wrongTag(tag)
    if (wrong !== undefined) return wrong
  }
  return new Set(tags).size > maxTags ? `An agent has at most ${maxTags} tags: these are ${new Set(tags).size}.` : null
}

/**
 * Returns the choices after a press on the box of a tag. The presses choose in turn that all agents get the tag, that
 * none has it, and that nothing changes. A choice that would change nothing is skipped.
 */
export function pressTag(
  choices: TagChoices,
  tag: string,
  { having, all }: { having: number; all: number },
): TagChoices {
  const next = new Map(choices)
  const chosen = choices.get(tag)
  if (chosen === undefined) next.set(tag, having < all)
  else if (chosen && having > 0 && having < all) next.set(tag, false)
  else next.delete(tag)
  return next
}

/** Returns the change that choices and typed tags make, without tags that all agents have already or that none has. */
export function tagChangeOf(counts: TagCounts, all: number, choices: TagChoices, typed: string): TagsToChange {
  const having = (tag: string) => counts.get(tag) ?? 0
  const fresh = readTypedTags(typed)
  const given = [...choices].flatMap(([tag, gets]) => (gets ? [tag] : []))
  const taken = [...choices].flatMap(([tag, gets]) => (gets || fresh.includes(tag) ? [] : [tag]))
  return {
    add: [...new Set([...given, ...fresh])].filter((tag) => having(tag) < all),
    remove: taken.filter((tag) => having(tag) > 0),
  }
}

/** Says what a change does, such as "Gives eu to 3 agents. Takes old from 12 agents."; empty if it does nothing. */
export function changeInWords({ add, remove }: TagsToChange, counts: TagCounts, all: number): string {
  const agents = (number: number) => `${number.toLocaleString('en-US')} ${number === 1 ? 'agent' : 'agents'}`
  const many = all > 1
  const gives = add.map((tag) => (many ? `Gives ${tag} to ${agents(all - (counts.get(tag) ?? 0))}.` : `Gives ${tag}.`))
  const takes = remove.map((tag) => (many ? `Takes ${tag} from ${agents(counts.get(tag) ?? 0)}.` : `Takes ${tag}.`))
  return [...gives, ...takes].join(' ')
}
