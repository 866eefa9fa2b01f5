/** The folder's manifest, read again when the file changes; one that became invalid is told, and the last good one stands. */
import { type Finding, type Manifest, manifestName, readManifest } from '@svc/blueprint'
import type { HealthItem } from '@svc/protocol'
import type { Folder } from '../files/folder.ts'
import { readFile } from '../files/read.ts'

export type ManifestNow =
  | { readonly ok: true; readonly value: Manifest }
  | { readonly ok: false; readonly message: string; readonly findings: readonly Finding[] }

export function manifestOf(folder: Folder): ManifestNow {
  const read = readFile(folder.manifest, 1024 * 1024)
  if (read.is === 'missing') {
    return {
      ok: false,
      message: `There is no ${manifestName} in ${folder.root}; "svc connect" offers to write one.`,
      findings: [],
    }
  }
  if (read.is === 'unreadable') return { ok: false, message: `${folder.manifest} ${read.why}.`, findings: [] }
  const manifest = readManifest(read.bytes, { for: 'report' })
  return manifest.ok ? manifest : { ok: false, message: shown(manifest.findings), findings: manifest.findings }
}

/** One line a finding, as compilers write them. */
export const shown = (findings: readonly Finding[]): string =>
  findings.map(({ line, column, message }) => `${manifestName}:${line}:${column} ${message}`).join('\n')

/** Remembers the last good manifest of a running reporter. */
export function watchManifest(folder: Folder, first: Manifest): () => { manifest: Manifest; health: HealthItem[] } {
  let good = first
  let seen = ''
  let health: HealthItem[] = []
  return () => {
    const read = readFile(folder.manifest, 1024 * 1024)
    const source = read.is === 'bytes' ? read.bytes.toString('latin1') : read.is
    if (source !== seen) {
      seen = source
      const now = manifestOf(folder)
      if (now.ok) good = now.value
      health = now.ok
        ? []
        : [
            {
              name: 'Manifest',
              level: 'warn',
              detail: `The one read before is in force. ${now.message.split('\n')[0]}`.slice(0, 300),
            },
          ]
    }
    return { manifest: good, health }
  }
}
