/**
 * The texts of agents in which filters search. Texts that many agents share, such as tags, are numbered, so that a
 * filter judges each of them only once.
 */
import { fieldMark, valueEnd } from './automaton.ts'
import type { FilterFacts } from './facts.ts'
import { foldedText } from './look.ts'

/** The fields of an agent in which filters search. Words are searched in all fields but `runtime`. */
export const searchFields = ['name', 'host', 'version', 'blueprint', 'tag', 'runtime', 'other'] as const
export type SearchField = (typeof searchFields)[number]
/** The bit of a field in a set of fields. */
export const fieldBit = (field: SearchField): number => 1 << searchFields.indexOf(field)
/** The fields in which words are searched, as bits. */
export const wordFields = searchFields.reduce((all, field) => (field === 'runtime' ? all : all | fieldBit(field)), 0)

/** The texts of one row. */
interface Texts {
  book: Book
  /** The texts that few agents share, each between the mark of its field and `valueEnd`. */
  name: string
  other: string
  /** The numbers of all other texts in `book`. */
  shared: Readonly<Record<SharedField, readonly number[]>>
}
const sharedFields = ['host', 'version', 'blueprint', 'tag', 'runtime'] as const
type SharedField = (typeof sharedFields)[number]

/** Numbers texts by their field. A full book is replaced by a new one, so that old texts do not fill the memory. */
class Book {
  readonly texts: string[] = []
  readonly #numbers = new Map<string, number>()
  numberOf(field: SearchField, text: string): number {
    const sign = fieldMark(searchFields.indexOf(field))
    const key = sign + text
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.texts.length
    this.texts.push([sign, foldedText(text), valueEnd].join(''))
    this.#numbers.set(key, number)
    return number
  }
}
const maxBook = 500_000
let book = new Book()
const kept = new WeakMap<FilterFacts, Texts>()

function textsOf(agent: FilterFacts): Texts {
  const known = kept.get(agent)
  if (known?.book === book) return known
  const { name, host, version, updates, tags, label, detail, doing } = agent
  const { blueprint, runtime } = updates
  const one = (field: SharedField, text: string | null) =>
    typeof text !== 'string' ? [] : [book.numberOf(field, text)]
  const made: Texts = {
    book,
    name: flat('name', [name]),
    other: flat('other', [label, detail, doing]),
    shared: {
      host: one('host', host),
      version: one('version', version),
      blueprint: one('blueprint', blueprint),
      runtime: one('runtime', runtime),
      tag: tags.map((tag) => book.numberOf('tag', tag)),
    },
  }
  kept.set(agent, made)
  return made
}

/** Joins texts into one. It uses `join`, because the characters of a text that `+` made are read more slowly. */
const flat = (field: SearchField, texts: readonly (string | null)[]): string =>
  texts
    .flatMap((text) =>
      typeof text !== 'string' ? [] : [fieldMark(searchFields.indexOf(field)), foldedText(text), valueEnd],
    )
    .join('')

/**
 * Makes a function that returns the bits of all patterns in the texts of an agent. `wanted` has the bits of the fields
 * to search; `findOwn` searches in the texts that few agents share, and `find` in the others.
 */
export function searchIn(
  wanted: number,
  find: (text: string) => number,
  findOwn: (text: string) => number,
): (agent: FilterFacts) => number {
  if (book.texts.length > maxBook) book = new Book()
  const inBook = sharedFields.filter((field) => wanted & fieldBit(field))
  const [hasName, hasOther] = [(wanted & fieldBit('name')) !== 0, (wanted & fieldBit('other')) !== 0]
  const judgedIn = book
  // The lowest bit is set for each judged text, and the others are its result. 0 means that a text is not judged yet.
  let judged = new Int32Array(book.texts.length + 1024)
  return (agent) => {
    const { name, other, shared, book: own } = textsOf(agent)
    let bits = (hasName ? findOwn(name) : 0) | (hasOther ? findOwn(other) : 0)
    for (const field of inBook)
      for (const number of shared[field]) {
        if (own !== judgedIn) bits |= find(own.texts[number] ?? '')
        else {
          if (number >= judged.length) judged = growTo(judged, own.texts.length)
          const known = judged[number] as number
          const found = known !== 0 ? known >> 1 : find(own.texts[number] as string)
          if (known === 0) judged[number] = (found << 1) | 1
          bits |= found
        }
      }
    return bits
  }
}

function growTo(before: Int32Array<ArrayBuffer>, size: number): Int32Array<ArrayBuffer> {
  const after = new Int32Array(2 * size)
  after.set(before)
  return after
}
