/**
 * Finds everything that is wrong with a blueprint's folder or with a bundle, so that authors see it before the service
 * refuses it.
 */
import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { limits, limitText } from '@svc/protocol'
import { type BundleFinding, someFindings } from '../bundle/findings.ts'
import { readOwnManifest } from '../bundle/manifest.ts'
import { wrongWithPath } from '../bundle/paths.ts'
import { judgeWholeBundle } from '../bundle/read.ts'
import { wrongBetween } from '../bundle/tree.ts'
import { type Manifest, manifestName } from '../manifest/shape.ts'
import { tooManyEntries } from '../zip/profile.ts'
import { type FolderFile, type GatheredFiles, gatherFiles } from './gather.ts'
import { hintsOn, type PositionOf, warningsOn } from './hints.ts'

/** Returns the reasons to refuse a bundle of this folder, as far as they can be seen without packing it. */
export const checkFolder = (dir: string): BundleFinding[] => examineFolder(dir).findings

/** Returns the reasons for which the service or a machine would refuse this bundle. */
export const checkBundle = async (bytes: Uint8Array): Promise<BundleFinding[]> =>
  (await judgeWholeBundle(bytes)).findings

/** The result of an examination. The service refuses a bundle with `findings`, but not one with warnings or hints. */
export interface ExaminedFolder {
  readonly findings: BundleFinding[]
  /** Findings about things that are allowed, but are certainly mistakes. */
  readonly warnings: BundleFinding[]
  /** Findings about things that are allowed, but are probably mistakes. */
  readonly hints: BundleFinding[]
  /** The manifest; absent if the manifest cannot be read, and for a bundle that has findings. */
  readonly manifest?: Manifest
}

export function examineFolder(dir: string): ExaminedFolder {
  const { findings, warnings, files, manifest, placeOf } = wrongInFolder(resolve(dir))
  const remarks = remarksOn(manifest, files, placeOf)
  return { findings: someFindings(findings), ...remarks, warnings: [...warnings, ...remarks.warnings] }
}

export async function examineBundle(bytes: Uint8Array): Promise<ExaminedFolder> {
  const { findings, bundle, placeOf } = await judgeWholeBundle(bytes)
  return { findings, ...remarksOn(bundle?.manifest, bundle?.entries ?? [], placeOf) }
}

function remarksOn(
  manifest: Manifest | undefined,
  files: readonly Pick<FolderFile, 'path' | 'executable'>[],
  placeOf: PositionOf = () => ({ line: 1, column: 1 }),
): Omit<ExaminedFolder, 'findings'> {
  if (!manifest) return { warnings: [], hints: [] }
  return { warnings: warningsOn(manifest, files, placeOf), hints: hintsOn(manifest, files), manifest }
}

interface FolderRead extends GatheredFiles {
  readonly manifest?: Manifest
  readonly placeOf?: PositionOf
}

/**
 * Reads a blueprint's folder, and collects everything that is wrong with it. Ignores the file `except`, for example the
 * bundle that is being written.
 */
export function wrongInFolder(root: string, except?: string): FolderRead {
  const refused = (findings: readonly BundleFinding[]): FolderRead => ({
    files: [],
    leftOut: [],
    findings,
    warnings: [],
  })
  const none = (message: string) => refused([{ file: '', message }])
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
    return none(`is made of a folder, and there is none at ${root}`)
  let gathered: ReturnType<typeof gatherFiles>
  try {
    gathered = gatherFiles(root, except)
  } catch (error) {
    return none(`cannot be made: ${whyOf(error)}`)
  }
  if ('refused' in gathered) return refused(gathered.refused)
  const { files } = gathered
  const own = readManifestOf(root, files)
  const findings = [
    ...gathered.findings,
    ...files.flatMap(({ path }) => wrongWithPath(path).map((message) => ({ file: path, message }))),
    ...wrongBetween(files),
    ...wrongWithSizes(files),
    ...own.findings,
  ]
  const { manifest, placeOf } = own
  return { ...gathered, findings, ...(manifest && { manifest }), ...(placeOf && { placeOf }) }
}

function wrongWithSizes(files: readonly FolderFile[]): BundleFinding[] {
  const findings: BundleFinding[] = files
    .filter(({ size }) => size > limits.bundleFileBytes)
    .map(({ path }) => ({ file: path, message: `unpacks to more than ${limitText(limits.bundleFileBytes)}` }))
  if (files.length > limits.bundleEntries) findings.push({ file: '', message: tooManyEntries })
  const total = files.reduce((sum, { size }) => sum + size, 0)
  if (total > limits.bundleUnpackedBytes)
    findings.push({ file: '', message: `unpacks to more than ${limitText(limits.bundleUnpackedBytes)}` })
  return findings
}

function readManifestOf(root: string, files: readonly FolderFile[]): ReturnType<typeof readOwnManifest> {
  const paths = new Set(files.map((f) => f.path))
  try {
    return readOwnManifest(paths.has(manifestName) ? readFileSync(join(root, manifestName)) : undefined, paths)
  } catch (error) {
    return { findings: [{ file: manifestName, message: `cannot be read (${whyOf(error)})` }] }
  }
}
const whyOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
