/**
 * The manifest `svc.agent.yaml` (2.10, D47): YAML 1.2 read strictly, every finding at once, each with its line. The
 * service at upload, the runtime and the author's tools all read it here.
 */
import { limits } from '@svc/protocol'
import { type Finding, inOrder, type Reading } from './reading.ts'
import { type Manifest, manifest } from './shape.ts'
import { readYaml } from './source.ts'

export type ManifestRead =
  | { readonly ok: true; readonly value: Manifest }
  | { readonly ok: false; readonly findings: Finding[] }

export interface ReadOptions {
  /**
   * `bundle`: everything that an installed agent needs, `runtime` included. `report`: what `svc report` needs for an
   * agent that somebody else starts; `runtime` may be missing.
   */
  readonly for: 'bundle' | 'report'
}

/** Reads the text or the bytes of a manifest. Never throws. */
export function readManifest(source: string | Uint8Array, options: ReadOptions = { for: 'bundle' }): ManifestRead {
  const size = typeof source === 'string' ? new TextEncoder().encode(source).length : source.length
  if (size > limits.manifestBytes) {
    return refused(`The manifest must be at most ${limits.manifestBytes / 1024} KB: got ${Math.ceil(size / 1024)} KB.`)
  }
  const text = typeof source === 'string' ? source : decode(source)
  if (text === undefined) return refused('The manifest must be text in UTF-8.')
  const yaml = readYaml(text)
  if (!yaml.root) return { ok: false, findings: inOrder(yaml.findings) }
  const reading: Reading = { findings: yaml.findings, place: yaml.place }
  const value = manifest(options.for === 'bundle')(yaml.root, '', reading)
  if (value && reading.findings.length === 0) return { ok: true, value }
  return { ok: false, findings: inOrder(reading.findings) }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const refused = (message: string): ManifestRead => ({
  ok: false,
  findings: [{ line: 1, column: 1, path: '', message }],
})
