/**
 * Parses the YAML of a manifest (D47). It must be one document without anchors, aliases, tags and directives, with
 * unique keys and at most sixteen levels. Scalars are kept as texts; the reader of a field decides on the type of its
 * value.
 */
import { limits } from '@svc/protocol'
import { isMap, isScalar, isSeq, LineCounter, type Node, Parser, parseDocument, Scalar } from 'yaml'
import type { ManifestFinding, YamlValue } from './reading.ts'

interface Yaml {
  /** The value of the whole document; absent if the text is not one readable document. */
  readonly root?: YamlValue
  readonly findings: ManifestFinding[]
  readonly place: (offset: number) => { line: number; column: number }
}

export function readYaml(text: string): Yaml {
  const lines = new LineCounter()
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const findings = wrongTokens(text, lines).map(({ offset, message }) => ({ ...place(offset), path: '', message }))
  if (findings.length > 0) return { findings, place }
  const doc = parseDocument(text, { schema: 'failsafe', version: '1.2', prettyErrors: false, strict: true })
  let readable = true
  for (const error of doc.errors) {
    if (error.code !== 'DUPLICATE_KEY') readable = false
    findings.push({ ...place(error.pos[0]), path: '', message: yamlErrorText(error.code, error.message) })
  }
  if (!readable) return { findings, place }
  if (!doc.contents || (isScalar(doc.contents) && doc.contents.value === '')) {
    findings.push({ line: 1, column: 1, path: '', message: 'The manifest is empty.' })
    return { findings, place }
  }
  return { root: fromNode(doc.contents as Node), findings, place }
}

const yamlErrorText = (code: string, message: string): string =>
  ({
    DUPLICATE_KEY: 'This key occurs a second time.',
    MULTIPLE_DOCS: 'The manifest must be one document; a second one starts here.',
    TAB_AS_INDENT: 'Tabs cannot indent in YAML; use spaces.',
  })[code] ?? `This is not YAML: ${message}.`

type Token = { type: string; offset: number; source?: string }
const refusedTokens: Readonly<Record<string, string>> = {
  anchor: 'Anchors are not allowed in a manifest.',
  alias: 'Aliases are not allowed in a manifest.',
  tag: 'Tags are not allowed in a manifest.',
  directive: 'Directives are not allowed in a manifest.',
}

/**
 * Checks the YAML tokens before the library builds values from them, so that deep nesting and aliases cannot cost time
 * or memory.
 */
function wrongTokens(text: string, lines: LineCounter): { offset: number; message: string }[] {
  const found: { offset: number; message: string }[] = []
  const walk = (part: unknown, depth: number): void => {
    if (Array.isArray(part)) for (const item of part) walk(item, depth)
    else if (typeof part === 'object' && part !== null) {
      const token = part as Partial<Token>
      const refused = token.type === undefined ? undefined : refusedTokens[token.type]
      if (refused) found.push({ offset: token.offset ?? 0, message: refused })
      const deeper = 'items' in part ? depth + 1 : depth
      if (deeper > limits.manifestDepth) {
        if (!found.some(({ message }) => message === tooDeep))
          found.push({ offset: token.offset ?? 0, message: tooDeep })
        return
      }
      for (const value of Object.values(part)) if (typeof value === 'object') walk(value, deeper)
    }
  }
  for (const token of new Parser(lines.addNewLine).parse(text)) walk(token, 0)
  return found
}
const tooDeep = `A manifest must not be nested deeper than ${limits.manifestDepth} levels.`

function fromNode(node: Node | null): YamlValue {
  const at = node?.range?.[0] ?? 0
  if (isMap(node)) {
    const entries = node.items.map((pair) => {
      const key = pair.key as Node
      return {
        key: isScalar(key) ? String(key.value) : '',
        at: key.range?.[0] ?? at,
        value: fromNode(pair.value as Node | null),
      }
    })
    return { is: 'map', at, entries }
  }
  if (isSeq(node)) return { is: 'list', at, items: node.items.map((item) => fromNode(item as Node)) }
  if (isScalar(node)) return { is: 'scalar', at, text: String(node.value), plain: node.type === Scalar.PLAIN }
  return { is: 'scalar', at, text: '', plain: true }
}
