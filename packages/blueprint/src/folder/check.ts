/** Everything that is wrong with a blueprint's folder or with a bundle, at once: what an author wants to hear before the service says it. */
import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { limits } from '@svc/protocol'
import { atMost, type BundleFinding } from '../bundle/findings.ts'
import { readOwnManifest } from '../bundle/manifest.ts'
import { wrongBetween, wrongWithPath } from '../bundle/paths.ts'
import { judge } from '../bundle/read.ts'
import { manifestName } from '../manifest/shape.ts'
import { type FolderFile, type Gathered, gather } from './gather.ts'

/** What would be refused of the bundle that `packFolder` makes of this folder; empty when it is good. */
export const checkFolder = (dir: string): BundleFinding[] => atMost(wrongInFolder(resolve(dir)).findings)

/** What is wrong with the bytes of a bundle; empty when it is good. */
export const checkBundle = async (bytes: Uint8Array): Promise<BundleFinding[]> => (await judge(bytes)).findings

export function wrongInFolder(root: string): Gathered {
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
    return { files: [], leftOut: [], findings: [{ file: '', message: `must be a folder: there is none at ${root}` }] }
  const gathered = gather(root)
  const { files } = gathered
  const findings = [
    ...gathered.findings,
    ...files.flatMap(({ path }) => wrongWithPath(path).map((message) => ({ file: path, message }))),
    ...wrongBetween(files),
    ...wrongWithSizes(files),
    ...wrongWithManifest(root, files),
  ]
  return { ...gathered, findings }
}

function wrongWithSizes(files: readonly FolderFile[]): BundleFinding[] {
  const findings: BundleFinding[] = files
    .filter(({ size }) => size > limits.bundleFileBytes)
    .map(({ path }) => ({ file: path, message: 'unpacks to more than 50 MB' }))
  if (files.length > limits.bundleEntries) findings.push({ file: '', message: 'has more than 5000 entries' })
  const total = files.reduce((sum, { size }) => sum + size, 0)
  if (total > limits.bundleUnpackedBytes) findings.push({ file: '', message: 'unpacks to more than 100 MB' })
  return findings
}

function wrongWithManifest(root: string, files: readonly FolderFile[]): BundleFinding[] {
  const paths = new Set(files.map((f) => f.path))
  try {
    const bytes = paths.has(manifestName) ? readFileSync(join(root, manifestName)) : undefined
    return readOwnManifest(bytes, paths).findings
  } catch (error) {
    return [{ file: manifestName, message: `cannot be read (${error instanceof Error ? error.message : error})` }]
  }
}
