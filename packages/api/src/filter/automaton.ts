/**
 * Finds many patterns in a text in one pass (Aho-Corasick), so that the time for a filter does not grow with the number
 * of its words and values.
 */

/** A text to find, and the bits that the finder returns if it finds the text in one of `fields`. */
export interface TextPattern {
  text: string
  /** The fields in which the text counts, as bits: field `f` is the bit `1 << f`. */
  fields: number
  bits: number
  /** If present, it is called where the text is found, and decides whether the value from `start` to `stop` matches. */
  holds?: (text: string, start: number, stop: number) => boolean
}

/**
 * Returns the bits of all patterns that occur in a text. The text is a sequence of values, each between the mark of its
 * field and `valueEnd`.
 */
type Finder = (text: string) => number

/** The character after each value. Values contain neither this character nor a mark of a field. */
export const valueEnd = '\0'
/** The character before each value of a field. */
export const fieldMark = (field: number): string => String.fromCharCode(field + 1)
/** The maximum number of fields. Their marks are the control characters between `valueEnd` and tab. */
const maxFields = 8

interface Node {
  next: Map<number, Node>
  fail: Node | undefined
  found: TextPattern[]
  at: number
}

/** The number of columns of the table of states: one for each ASCII character. */
const width = 128
/** The bit that marks a state in which a pattern was found. */
const hit = 1 << 30

/** Builds the automaton of these patterns, and returns the function that finds them. */
export function patternFinder(patterns: readonly TextPattern[]): Finder {
  const nodes = nodesOf(patterns)
  const table = tableOf(nodes)
  const bits = new Int32Array(nodes.length * maxFields)
  for (const { at, found } of nodes)
    for (const { fields, bits: own, holds } of found)
      for (let field = 0; field < maxFields; field++)
        if (holds === undefined && fields & (1 << field))
          bits[at * maxFields + field] = (bits[at * maxFields + field] as number) | own
  const judged = nodes.map(({ found }) => found.filter(({ holds }) => holds !== undefined))
  // The fields with a pattern that may begin anywhere in a value. In other fields, all patterns begin with the mark of
  // the field, so the rest of a value can be skipped once none matches.
  const open = patterns.reduce((all, { text, fields }) => (text.charCodeAt(0) <= maxFields ? all : all | fields), 0)
  return (text) => {
    let all = 0
    for (let start = 0; start < text.length; ) {
      const field = text.charCodeAt(start) - 1
      const isOpen = (open & (1 << field)) !== 0
      const stop = text.indexOf(valueEnd, start)
      let state = 0
      for (let i = start; i <= stop; i++) {
        const unit = text.charCodeAt(i)
        state = unit < width ? (table[state * width + unit] as number) : after(nodes, state, unit)
        if (state >= hit) {
          state -= hit
          all |= bits[state * maxFields + field] as number
          for (const { fields, bits: own, holds } of judged[state] as TextPattern[])
            if ((all & own) !== own && fields & (1 << field) && holds?.(text, start + 1, stop)) all |= own
        }
        if (state === 0 && !isOpen) break
      }
      start = stop + 1
    }
    return all
  }
}

/** Returns the state after a character that is not in the table, because it is not ASCII. */
function after(nodes: readonly Node[], state: number, unit: number): number {
  for (let node = nodes[state]; node; node = node.fail) {
    const next = node.next.get(unit)
    if (next) return next.found.length > 0 ? next.at + hit : next.at
  }
  return 0
}

/** The nodes of the automaton in the order of their depth. `found` of a node includes the patterns of its suffixes. */
function nodesOf(patterns: readonly TextPattern[]): Node[] {
  const root: Node = { next: new Map(), fail: undefined, found: [], at: 0 }
  for (const pattern of patterns) {
    let node = root
    for (let i = 0; i < pattern.text.length; i++) {
      const kind = pattern.text.charCodeAt(i)
      const known = node.next.get(kind)
      if (!known) node.next.set(kind, { next: new Map(), fail: undefined, found: [], at: 0 })
      node = known ?? (node.next.get(kind) as Node)
    }
    node.found.push(pattern)
  }
  const nodes = [root]
  for (const node of nodes)
    for (const [kind, child] of node.next) {
      let fail = node.fail
      while (fail && !fail.next.has(kind)) fail = fail.fail
      child.fail = fail?.next.get(kind) ?? root
      child.found.push(...child.fail.found)
      child.at = nodes.length
      nodes.push(child)
    }
  return nodes
}

/** The next state for each state and each ASCII character. */
function tableOf(nodes: readonly Node[]): Int32Array {
  const table = new Int32Array(nodes.length * width)
  for (const { at, fail, next } of nodes) {
    if (fail) table.copyWithin(at * width, fail.at * width, (fail.at + 1) * width)
    for (const [unit, child] of next)
      if (unit < width) table[at * width + unit] = child.found.length > 0 ? child.at + hit : child.at
  }
  return table
}
