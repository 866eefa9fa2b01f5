/**
 * The manifest as it was read last, kept beside the checksum of its text: what reads YAML takes megabytes that a process does not give back,
 * so a runtime loads it only for a text that it has not seen. A copy that does not fit in everything counts for nothing.
 */
import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { isObject } from '@svc/protocol'
import { writeLightly } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { readFile, readJsonObject } from '../files/read.ts'
import { version } from '../version.ts'
import type { ManifestNow } from './manifest.ts'

/** The folder's manifest now; read as YAML only when it is not known. */
export async function manifestNow(folder: Folder, reader: string = version): Promise<ManifestNow> {
  const read = readFile(folder.manifest, 1024 * 1024)
  const known = read.is === 'bytes' ? recall(folder, sumOf(read.bytes), reader) : undefined
  if (known) return { ok: true, value: known }
  const { manifestIn } = await import('./manifest.ts')
  const now = manifestIn(folder, read)
  if (now.ok && read.is === 'bytes') remember(folder, sumOf(read.bytes), reader, now.value)
  return now
}

/**
 * The same for a command, which leaves nothing behind. A copy counts only for its owner: another person's was not checked, and
 * this person may do more than that one.
 */
export async function manifestKnown(folder: Folder, reader: string = version): Promise<ManifestNow> {
  const read = readFile(folder.manifest, 1024 * 1024)
  const known = read.is === 'bytes' && isOwn(fileOf(folder)) ? recall(folder, sumOf(read.bytes), reader) : undefined
  if (known) return { ok: true, value: known }
  return (await import('./manifest.ts')).manifestIn(folder, read)
}

function isOwn(file: string): boolean {
  try {
    return lstatSync(file).uid === process.getuid?.()
  } catch {
    return false
  }
}

const sumOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const fileOf = (folder: Folder): string => join(folder.journal, 'manifest.json')

/** Another version of svc may read the same text otherwise; from source there are no versions. */
function recall(folder: Folder, sum: string, reader: string): Manifest | undefined {
  const kept = readJsonObject(fileOf(folder), 1024 * 1024)
  if (reader === 'dev' || kept?.sum !== sum || kept.reader !== reader || !isObject(kept.manifest)) return undefined
  return kept.manifest as unknown as Manifest
}

function remember(folder: Folder, sum: string, reader: string, manifest: Manifest): void {
  if (reader === 'dev') return
  try {
    prepare(folder)
    writeLightly(fileOf(folder), JSON.stringify({ sum, reader, manifest }), 0o600)
  } catch {
    // it is read again next time
  }
}
