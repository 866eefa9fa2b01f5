/** Input that names tags. */
import { shown } from '@svc/protocol'
import { type TagChange, wrongTag } from '../filter/tags.ts'
import { InputRefused, list, object, optional, pasted, type Reader, reader } from '../input.ts'
import { agentNames } from './many.ts'

/** The maximum number of tags that one request adds, and the maximum number that it removes. */
const maxChanged = 100

const word = pasted()
/** Reads one tag. */
export const tag: Reader<string> = reader(word.form, (value, field) => {
  const read = word(value, field)
  const wrong = wrongTag(read)
  if (wrong !== undefined) throw new InputRefused(wrong, 'tag_invalid')
  return read
})

type Tagging = { agents: string[] } & TagChange

const shape = object({
  agents: agentNames,
  add: optional(list(tag, maxChanged)),
  remove: optional(list(tag, maxChanged)),
})
/** Reads the names of agents, the tags to add to them and the tags to remove. Either list of tags may be missing. */
export const optionalTagging: Reader<Tagging> = reader(shape.form, (value, field) => {
  const read = shape(value, field)
  const { add = [], remove = [] } = read
  const both = add.find((one) => remove.includes(one))
  if (both !== undefined)
    throw new InputRefused(`The tag ${shown(both)} cannot be added and removed at once.`, 'tag_invalid')
  return read
})

/** Reads the same as `optionalTagging`, but requires at least one tag. */
export const tagging: Reader<Tagging> = reader(shape.form, (value, field) => {
  const read = optionalTagging(value, field)
  const { add = [], remove = [] } = read
  if (add.length + remove.length === 0)
    throw new InputRefused('add or remove must name at least one tag.', 'tag_invalid')
  return read
})
