/**
 * Packs a folder into a bundle. The same files give the same bytes, whatever the files' times, their order on the disk,
 * the umask, the time zone or the machine. Every packed bundle is then checked by the same rules as at an upload.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type BundleFinding, type BundleVerdict, refusedBundle } from '../bundle/findings.ts'
import { type Bundle, readBundle } from '../bundle/read.ts'
import type { Manifest } from '../manifest/shape.ts'
import { deflate } from '../zip/deflate.ts'
import { type ZipMember, zipArchive } from '../zip/write.ts'
import { wrongInFolder } from './check.ts'
import type { FolderFile } from './gather.ts'

/** A bundle that was packed from a folder. */
export interface PackedBundle {
  readonly bytes: Uint8Array
  /** The SHA-256 of the bundle's bytes, in hex. */
  readonly sha256: string
  readonly manifest: Manifest
  readonly entries: Bundle['entries']
  /** The paths that ignore rules leave out, without `.git`. A folder is one entry, with `/` at its end. */
  readonly leftOut: readonly string[]
  /** Findings about lines of `.svcignore` with `!` that cannot take back a path. */
  readonly warnings: readonly BundleFinding[]
}

/**
 * Packs a folder, without the file `except`. It never throws: if the folder is refused, the result lists every finding.
 */
export async function packFolder(
  dir: string,
  { except }: { readonly except?: string } = {},
): Promise<BundleVerdict<PackedBundle>> {
  const root = resolve(dir)
  const { files, leftOut, findings, warnings } = wrongInFolder(root, except)
  if (findings.length > 0) return refusedBundle(findings)
  const members: ZipMember[] = []
  const lost: BundleFinding[] = []
  for (const file of files) {
    try {
      members.push(memberOf(root, file))
    } catch (error) {
      lost.push({ file: file.path, message: `cannot be read (${error instanceof Error ? error.message : error})` })
    }
  }
  if (lost.length > 0) return refusedBundle(lost)
  const bytes = zipArchive(members)
  const read = await readBundle(bytes)
  return read.ok ? { ok: true, value: { bytes, leftOut, warnings, ...read.value } } : read
}

function memberOf(root: string, { path, executable }: FolderFile): ZipMember {
  const content = readFileSync(join(root, path))
  const packed = deflate(content)
  return { name: path, content, executable, ...(packed && { packed }) }
}
