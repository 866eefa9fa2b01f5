/**
 * Decides whether a bundle is accepted (4, acceptance rules; D47 to D49). The service calls this code at an upload, the
 * runtime at an installation and an update, and the author's tools call it too. The result depends only on the bundle's
 * bytes and on the name, version and checksum that the caller expects.
 */
import { createHash } from 'node:crypto'
import { limits, limitText } from '@svc/protocol'
import type { ReadWithPositions } from '../manifest/read.ts'
import { type Manifest, manifestName } from '../manifest/shape.ts'
import { contentOf, type UnpackedTotal, WrongContent, zipDisagreement } from '../zip/contents.ts'
import { type ZipEntry, type ZipLayout, zipLayoutOf } from '../zip/layout.ts'
import { isExecutable, overlapText, wrongWithLayout } from '../zip/profile.ts'
import { type BundleFinding, type BundleVerdict, refusedBundle, shownPath, someFindings } from './findings.ts'
import { type ExpectedManifest, readOwnManifest } from './manifest.ts'
import { wrongWithPath } from './paths.ts'
import { wrongBetween } from './tree.ts'

interface BundleEntry {
  readonly path: string
  /** The size of the unpacked file in bytes. */
  readonly size: number
  readonly executable: boolean
}
/** A bundle that was read and accepted. */
export interface Bundle {
  readonly manifest: Manifest
  /** The SHA-256 of the bundle's bytes, in hex. */
  readonly sha256: string
  /** The files in the bundle, in the order of the archive. */
  readonly entries: readonly BundleEntry[]
}
export interface ReadBundleOptions {
  readonly expected?: ExpectedManifest
}

/** Reads and checks a whole bundle in memory. It never throws, and writes nothing to the disk. */
export async function readBundle(bytes: Uint8Array, options: ReadBundleOptions = {}): Promise<BundleVerdict<Bundle>> {
  const { findings, bundle } = await judgeWholeBundle(bytes, options)
  return bundle ? { ok: true, value: bundle } : refusedBundle(findings)
}

interface JudgedBundle {
  readonly layout: ZipLayout
  readonly findings: BundleFinding[]
  /** The bundle that was read; present only if there are no findings. */
  readonly bundle?: Bundle
  /** Returns the line and column of a value in the manifest; present only together with the bundle. */
  readonly placeOf?: ReadWithPositions['placeOf']
}

/** Checks a whole bundle, and collects everything that is wrong with it. */
export async function judgeWholeBundle(
  bytes: Uint8Array,
  { expected = {} }: ReadBundleOptions = {},
): Promise<JudgedBundle> {
  if (bytes.length > limits.bundleBytes)
    return { layout: zipLayoutOf(bytes.subarray(0, 0)), findings: headers(bytes).findings }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const { layout, findings } = headers(bytes)
  if (expected.sha256 !== undefined && expected.sha256 !== sha256)
    findings.unshift({
      file: '',
      message: `has the checksum ${sha256}, and ${shownPath(expected.sha256)} was asked for`,
    })
  const sound = findings.length === 0 ? await zipDisagreement(layout) : undefined
  if (sound !== undefined) findings.push({ file: '', message: shownPath(sound) })
  const bad = new Set(findings.map((f) => f.file))
  const archiveSound = !bad.has('') && !findings.some((f) => f.message === overlapText)
  const readable = layout.entries.filter((e) => archiveSound && !bad.has(e.path))
  const contents = await readContents(layout, readable)
  findings.push(...contents.findings)
  const files = new Set(layout.entries.map((e) => e.path))
  const blocked = layout.entries.some((e) => e.path === manifestName) && !contents.manifest
  const own: ReturnType<typeof readOwnManifest> = blocked
    ? { findings: [] }
    : readOwnManifest(contents.manifest, files, expected)
  if (layout.end && archiveSound) findings.push(...own.findings)
  if (findings.length > 0 || !own.manifest) return { layout, findings: someFindings(findings) }
  const entries = layout.entries.filter((e) => !e.path.endsWith('/')).map(entryOf)
  const { placeOf } = own
  return { layout, findings, bundle: { manifest: own.manifest, sha256, entries }, ...(placeOf && { placeOf }) }
}

const entryOf = (e: ZipEntry): BundleEntry => ({ path: e.path, size: e.size, executable: isExecutable(e) })

/** Checks the headers of a bundle and the names and sizes of its entries, without unpacking them. */
function headers(bytes: Uint8Array): { layout: ZipLayout; findings: BundleFinding[] } {
  const layout = zipLayoutOf(bytes.length > limits.bundleBytes ? bytes.subarray(0, 0) : bytes)
  const findings: BundleFinding[] = wrongWithLayout({ ...layout, bytes }).map(({ entry, message }) => ({
    file: entry?.path ?? '',
    message,
  }))
  if (layout.entries.length > limits.bundleEntries) return { layout, findings }
  for (const { path } of layout.entries)
    findings.push(...wrongWithPath(path).map((message) => ({ file: path, message })))
  const bad = new Set(findings.map((f) => f.file))
  findings.push(...wrongBetween(layout.entries.filter((e) => !bad.has(e.path))))
  const says = layout.entries.reduce((sum, e) => sum + e.size, 0)
  if (says > limits.bundleUnpackedBytes)
    findings.push({ file: '', message: `unpacks to more than ${limitText(limits.bundleUnpackedBytes)}` })
  return { layout, findings }
}

/** Unpacks `entries` in memory to check them, and returns their findings and the content of the manifest. */
async function readContents(layout: ZipLayout, entries: readonly ZipEntry[]) {
  const total: UnpackedTotal = { bytes: 0 }
  const findings: BundleFinding[] = []
  let manifest: Uint8Array | undefined
  for (const entry of entries) {
    const kept: Uint8Array[] = []
    let held = 0
    try {
      for await (const piece of contentOf(layout, entry, total)) {
        if (entry.path !== manifestName || held > limits.manifestBytes) continue
        held += piece.length
        kept.push(piece)
      }
      if (entry.path === manifestName) manifest = Buffer.concat(kept)
    } catch (error) {
      if (!(error instanceof WrongContent)) throw error
      findings.push({ file: entry.path, message: error.message })
      if (total.bytes > limits.bundleUnpackedBytes) break
    }
  }
  return { findings, manifest }
}
