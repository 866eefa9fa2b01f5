/** The rules of tags, the words that admins give to agents and by which filters select them. */
import { listIn, shown } from '@svc/protocol'

/** The maximum number of tags of an agent. */
export const maxTags = 20

/** The tags that agents gain and lose; all others stay. */
export interface TagChange {
  add?: readonly string[] | undefined
  remove?: readonly string[] | undefined
}

const form = /^[a-z0-9][a-z0-9_.:-]{0,39}$/

/** The reason why a text is not a tag; undefined if it is one. */
export const wrongTag = (text: string): string | undefined =>
  form.test(text)
    ? undefined
    : `A tag has 1 to 40 of the characters a-z, 0-9, "_", ".", ":" and "-", and begins with a letter or a digit: got ${shown(text)}.`

/** Splits a text such as `eu, prod`. The parts need not be tags. */
export const splitTags = listIn

/** The sorted tags of an agent after a change. A tag that is removed and added stays. */
export const changedTags = (before: readonly string[], { add = [], remove = [] }: TagChange): string[] =>
  [...new Set([...before.filter((tag) => !remove.includes(tag)), ...add])].sort()
