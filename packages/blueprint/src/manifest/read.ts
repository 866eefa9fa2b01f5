/**
 * Reads the manifest `svc.agent.yaml` (2.10, D47) as strict YAML 1.2, and gives all findings at once, with their lines.
 * The service (at an upload), the runtime and the author's tools all use this code.
 */
import { limits, limitText, readText, sizeText } from '@svc/protocol'
import { isMap, isScalar, isSeq, LineCounter, type Node, Parser, parseDocument, Scalar } from 'yaml'
import { type ManifestFinding, type ReadContext, sortedFindings, type YamlValue } from './reading.ts'
import { type Manifest, manifestReader } from './shape.ts'

type ManifestRead =
  | { readonly ok: true; readonly value: Manifest }
  | { readonly ok: false; readonly findings: ManifestFinding[] }

interface ReadOptions {
  /**
   * The purpose of reading. `bundle` requires everything that an installed agent needs, including `runtime`. `report`
   * requires only what `svc report` needs for an agent that somebody else starts.
   */
  readonly for: 'bundle' | 'report'
}

/** Reads a manifest from its text or bytes. Never throws. */
export const readManifest = (source: string | Uint8Array, options: ReadOptions = { for: 'bundle' }): ManifestRead =>
  readWithPositions(source, options).read

/** A manifest with the positions of its values. */
export interface ReadWithPositions {
  readonly read: ManifestRead
  /**
   * Returns the line and column of a value such as `runtime.files[0]`, or of its nearest parent if the text does not
   * have the value. If the text is no readable YAML, returns the start of the file.
   */
  readonly placeOf: (path: string) => { line: number; column: number }
}

/** Reads a manifest together with the positions of its values. */
export function readWithPositions(source: string | Uint8Array, options: ReadOptions): ReadWithPositions {
  const start = { line: 1, column: 1 }
  const placed = (read: ManifestRead): ReadWithPositions => ({ read, placeOf: () => start })
  const size = typeof source === 'string' ? new TextEncoder().encode(source).length : source.length
  if (size > limits.manifestBytes) {
    return placed(
      refusedManifest(`The manifest must be at most ${limitText(limits.manifestBytes)}: got ${sizeText(size)}.`),
    )
  }
  const text = readText(typeof source === 'string' ? new TextEncoder().encode(source) : source)
  if (!text.ok) return placed(refusedManifest(`The manifest ${text.fault}.`, text.place))
  // A carriage return alone ends a line in YAML. The parser does not know that, and would read the next line as part of
  // a comment.
  const yaml = readYaml(text.text.replace(/\r(?!\n)/g, '\n'))
  const { root } = yaml
  if (!root) return placed({ ok: false, findings: sortedFindings(yaml.findings) })
  const reading: ReadContext = { findings: yaml.findings, place: yaml.place }
  const value = manifestReader(options.for === 'bundle')(root, '', reading)
  const read: ManifestRead =
    value && reading.findings.length === 0
      ? { ok: true, value }
      : { ok: false, findings: sortedFindings(reading.findings) }
  return { read, placeOf: (path) => (path === '' ? start : yaml.place(offsetOf(root, path))) }
}

/**
 * Returns the offset in the text of the value at a path, or of its nearest parent if the text does not have the value.
 */
function offsetOf(root: YamlValue, path: string): number {
  let at = root
  for (const [, key, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    const next =
      key !== undefined && at.is === 'map'
        ? at.entries.find((e) => e.key === key)?.value
        : index !== undefined && at.is === 'list'
          ? at.items[Number(index)]
          : undefined
    if (!next) break
    at = next
  }
  return at.at
}

const refusedManifest = (message: string, { line, column } = { line: 1, column: 1 }): ManifestRead => ({
  ok: false,
  findings: [{ line, column, path: '', message }],
})

interface Yaml {
  /** The value of the whole document; absent if the text is not one readable document. */
  readonly root?: YamlValue
  readonly findings: ManifestFinding[]
  readonly place: (offset: number) => { line: number; column: number }
}

/**
 * Parses the YAML of a manifest (D47). It must be one document without anchors, aliases, tags and directives, with
 * unique keys and at most sixteen levels. Scalars are kept as texts; the reader of a field decides on the type of its
 * value.
 */
function readYaml(text: string): Yaml {
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
