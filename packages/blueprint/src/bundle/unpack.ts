/**
 * Unpacks a bundle to the disk (D49, I19). The whole bundle is checked first, then unpacked into a temporary folder
 * beside the target, and that folder is renamed as the last step. Each call of the file system is synchronous, so that
 * tests can kill the process between any two calls.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { contentOf, type UnpackedTotal } from '../zip/contents.ts'
import type { ZipEntry, ZipLayout } from '../zip/layout.ts'
import { isExecutable } from '../zip/profile.ts'
import { type BundleVerdict, refusedBundle } from './findings.ts'
import { type Bundle, judgeWholeBundle, type ReadBundleOptions } from './read.ts'
import { foldersOf } from './tree.ts'

/** Unpacks a bundle into `folder`. This folder must not exist yet, but its parent folder must. Never throws. */
export async function unpackBundle(
  bytes: Uint8Array,
  folder: string,
  options: ReadBundleOptions = {},
): Promise<BundleVerdict<Bundle>> {
  const target = resolve(folder)
  const { layout, findings, bundle } = await judgeWholeBundle(bytes, options)
  if (!bundle) return refusedBundle(findings)
  const staging = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.staging`)
  try {
    if (isThere(target)) return failedUnpacking('folder_taken', `There is something at ${target} already.`)
    await stage(layout, staging)
    if (isThere(target)) {
      remove(staging)
      return failedUnpacking('folder_taken', `There is something at ${target} already.`)
    }
    renameSync(staging, target)
  } catch (error) {
    remove(staging)
    return failedUnpacking('disk_failed', `The bundle could not be written to ${target}: ${whyOf(error)}.`)
  }
  try {
    syncFolder(dirname(target))
  } catch (error) {
    remove(target)
    return failedUnpacking('disk_failed', `The bundle could not be written to ${target}: ${whyOf(error)}.`)
  }
  return { ok: true, value: bundle }
}

/**
 * Removes the temporary folders of processes that were killed while unpacking, and returns the names of these folders.
 * A program calls this at its start, when nothing is being unpacked.
 */
export function sweepStaging(folder: string): string[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  const left = names.filter((name) => /^\..+\.[0-9a-f]{12}\.staging$/.test(name))
  for (const name of left) rmSync(join(folder, name), { recursive: true, force: true })
  return left
}

async function stage(layout: ZipLayout, staging: string): Promise<void> {
  mkdirSync(staging)
  const total: UnpackedTotal = { bytes: 0 }
  const folders = [...(foldersOf(layout.entries) ?? new Map()).keys()]
  for (const one of folders) {
    mkdirSync(join(staging, one))
    await setImmediate() // making thousands of folders must not block the event loop
  }
  for (const entry of layout.entries) if (!entry.path.endsWith('/')) await writeEntry(layout, entry, staging, total)
  for (const one of folders.reverse()) {
    syncFolder(join(staging, one), 0o755)
    await setImmediate()
  }
  syncFolder(staging, 0o755)
}

async function writeEntry(layout: ZipLayout, entry: ZipEntry, staging: string, total: UnpackedTotal): Promise<void> {
  const fd = openSync(join(staging, entry.path), 'wx', 0o600)
  try {
    for await (const piece of contentOf(layout, entry, total)) {
      for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at)
    }
    fchmodSync(fd, isExecutable(entry) ? 0o755 : 0o644)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function syncFolder(folder: string, mode?: number): void {
  const fd = openSync(folder, 'r')
  try {
    if (mode !== undefined) fchmodSync(fd, mode)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * Removes a folder, and ignores errors. A temporary folder that cannot be removed stays until `sweepStaging` is called.
 */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {}
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
const failedUnpacking = (code: 'folder_taken' | 'disk_failed', message: string): BundleVerdict<Bundle> => ({
  ok: false,
  code,
  message,
  findings: [],
})
const whyOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
