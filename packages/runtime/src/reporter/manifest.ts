/** Parses the text of the folder's manifest. */
import { type Manifest, type ManifestFinding, manifestName, readManifest } from '@svc/blueprint'
import type { Folder } from '../machine/files/folder.ts'
import { type FileRead, readManifestFile } from '../machine/files/read.ts'
import { commandHint } from '../machine/hint.ts'

/** The manifest in the folder at this moment, or why there is no valid one. */
export type ManifestNow =
  | { readonly ok: true; readonly value: Manifest }
  | { readonly ok: false; readonly message: string; readonly findings: readonly ManifestFinding[] }

export const readManifestNow = (folder: Folder): ManifestNow => manifestIn(folder, readManifestFile(folder))

/** Parses the manifest from the result of reading its file. */
export function manifestIn(folder: Folder, read: FileRead): ManifestNow {
  if (read.is === 'missing') {
    return {
      ok: false,
      message: `There is no ${manifestName} in ${folder.root}; "${commandHint('connect')}" offers to write one.`,
      findings: [],
    }
  }
  if (read.is === 'unreadable') return { ok: false, message: `${folder.manifest} ${read.why}.`, findings: [] }
  const manifest = readManifest(read.bytes, { for: 'report' })
  return manifest.ok ? manifest : { ok: false, message: shown(manifest.findings), findings: manifest.findings }
}

/** Formats the findings as lines of the form `file:line:column message`. */
const shown = (findings: readonly ManifestFinding[]): string =>
  findings.map(({ line, column, message }) => `${manifestName}:${line}:${column} ${message}`).join('\n')
