/**
 * Finds many patterns in a text in one pass (Aho-Corasick), so that the time for a filter does not grow with the number
 * of its words and values.
 */

/** A pattern: a text, and the bits that are set where it is found in a field. */
export interface TextPattern {
  text: string
  /** The fields in which it counts, as bits; field `f` is the bit `1 << f`. */
  fields: number
  bits: number
  /** Decides about the whole value, from `start` to `stop`, if the pattern is only a part of what must be found. */
  holds?: (text: string, start: number, stop: number) => boolean
}

/**
 * Returns the bits of all patterns in a text. Each value in the text consists of the mark of its field, the value, and
 * `valueEnd`.
 */
type Finder = (text: string) => number

/** The character after each value. Clean texts contain neither it nor the characters of fields. */
export const valueEnd = '\0'
/** The character before each value of a field. */
export const fieldMark = (field: number): string => String.fromCharCode(field + 1)
/** The maximum number of fields: their characters are the control characters below tab. */
const maxFields = 8

interface Node {
  next: Map<number, Node>
  fail: Node | undefined
  found: TextPattern[]
  at: number
}

/** The number of columns of a table: one for each unit of ASCII. */
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
  // The fields with a pattern that may begin anywhere in a value. All patterns of any other field begin with the mark
  // of the field, so they match at the beginning of a value or not at all.
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

/** Returns the state after a unit that is not in the table. */
function after(nodes: readonly Node[], state: number, unit: number): number {
  for (let node = nodes[state]; node; node = node.fail) {
    const next = node.next.get(unit)
    if (next) return next.found.length > 0 ? next.at + hit : next.at
  }
  return 0
}

/** The nodes of the automaton in the order of their depth, with what is found at each and at its suffixes. */
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

/** The next state for each state and each unit of ASCII. */
function tableOf(nodes: readonly Node[]): Int32Array {
  const table = new Int32Array(nodes.length * width)
  for (const { at, fail, next } of nodes) {
    if (fail) table.copyWithin(at * width, fail.at * width, (fail.at + 1) * width)
    for (const [unit, child] of next)
      if (unit < width) table[at * width + unit] = child.found.length > 0 ? child.at + hit : child.at
  }
  return table
}
