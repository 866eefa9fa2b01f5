/**
 * Stores the manifest as it was last parsed, with the checksum of its text. The YAML reader takes megabytes of memory
 * that a process never gives back, so it is loaded only if this version of svc has stored no copy for the present text.
 */
import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { isObject } from '@svc/protocol'
import { ownVersion } from '../machine/base/version.ts'
import { writeLightly } from '../machine/files/durable.ts'
import { createFolders, type Folder } from '../machine/files/folder.ts'
import { isOwner } from '../machine/files/own.ts'
import { readJsonObject, readManifestFile } from '../machine/files/read.ts'
import type { ManifestNow } from './manifest.ts'

/** The manifest in the folder at this moment. Its YAML is parsed only if the text has changed. */
export async function manifestNow(folder: Folder, reader: string = ownVersion): Promise<ManifestNow> {
  const read = readManifestFile(folder)
  const known = read.is === 'bytes' ? recallManifest(folder, sumOf(read.bytes), reader) : undefined
  if (known) return { ok: true, value: known }
  const { manifestIn } = await import('./manifest.ts')
  const manifest = manifestIn(folder, read)
  if (manifest.ok && read.is === 'bytes') rememberManifest(folder, sumOf(read.bytes), reader, manifest.value)
  return manifest
}

/**
 * The manifest in the folder, for commands, which store no copy of it. A copy that another user stored is not trusted,
 * since the current user may have more rights.
 */
export async function manifestForCommand(folder: Folder, reader: string = ownVersion): Promise<ManifestNow> {
  const read = readManifestFile(folder)
  const known =
    read.is === 'bytes' && isOwn(fileOf(folder)) ? recallManifest(folder, sumOf(read.bytes), reader) : undefined
  if (known) return { ok: true, value: known }
  return (await import('./manifest.ts')).manifestIn(folder, read)
}

function isOwn(file: string): boolean {
  try {
    return isOwner(lstatSync(file).uid)
  } catch {
    return false
  }
}

const sumOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const fileOf = (folder: Folder): string => join(folder.journal, 'manifest.json')

/**
 * The stored copy of the parsed manifest, if it belongs to this text and the same version of svc made it. Another
 * version may parse the text differently. Code that runs from source has no version, so it uses no copy.
 */
function recallManifest(folder: Folder, sum: string, reader: string): Manifest | undefined {
  const kept = readJsonObject(fileOf(folder), 1024 * 1024)
  if (reader === 'dev' || kept?.sum !== sum || kept.reader !== reader || !isObject(kept.manifest)) return undefined
  return kept.manifest as unknown as Manifest
}

function rememberManifest(folder: Folder, sum: string, reader: string, manifest: Manifest): void {
  if (reader === 'dev') return
  try {
    createFolders(folder)
    writeLightly(fileOf(folder), JSON.stringify({ sum, reader, manifest }), 0o600)
  } catch {
    // The copy could not be stored, so the manifest is parsed again next time.
  }
}
