/**
 * Reads the manifest `svc.agent.yaml` (2.10, D47) as strict YAML 1.2, and gives all findings at once, with their lines.
 * The service (at an upload), the runtime and the author's tools all use this code.
 */
import { limits, limitText, readText, sizeText } from '@svc/protocol'
import { type ManifestFinding, type ReadContext, sortedFindings, type YamlValue } from './reading.ts'
import { type Manifest, manifestReader } from './shape.ts'
import { readYaml } from './source.ts'

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
