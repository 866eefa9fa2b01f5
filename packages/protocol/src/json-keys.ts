/** Finds keys that occur twice in one object of a JSON text. `JSON.parse` keeps the last one, and says nothing. */

interface RepeatedKey {
  readonly key: string
  /** The lines in which the key occurs, counted from 1. */
  readonly lines: readonly number[]
}

/** The repeated keys of all objects in this text, which is valid JSON. */
export function repeatedKeys(text: string): RepeatedKey[] {
  const found: RepeatedKey[] = []
  const open: Map<string, number[]>[] = []
  let line = 1
  let last = ''
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:\n]/g)) {
    if (token === '\n') line++
    else if (token === '{' || token === '[') open.push(new Map())
    else if (token === '}' || token === ']') {
      const keys = open.pop() ?? new Map<string, number[]>()
      found.push(...[...keys].flatMap(([key, lines]) => (lines.length > 1 ? [{ key, lines }] : [])))
    } else if (token === ':') {
      const key = JSON.parse(last) as string
      const keys = open.at(-1)
      keys?.set(key, [...(keys.get(key) ?? []), line])
    } else last = token
  }
  return found
}
