/** Reads the manifest of a bundle, and checks it against the files of the bundle (4, acceptance rules). */
import { type ReadWithPositions, readWithPositions } from '../manifest/read.ts'
import { type Manifest, manifestName } from '../manifest/shape.ts'
import type { BundleFinding } from './findings.ts'
import { foldersAbove } from './paths.ts'

/** The values that a bundle must have. A value that is absent here is not checked. */
export interface ExpectedManifest {
  /** The name that the manifest must have. */
  readonly name?: string
  readonly version?: string
  /** The SHA-256 that the bundle's bytes must have, in hex. */
  readonly sha256?: string
}

/** Reads the manifest of a bundle that contains `files`. Every finding has a line, unless the manifest is missing. */
export function readOwnManifest(
  bytes: Uint8Array | undefined,
  files: ReadonlySet<string>,
  expected: ExpectedManifest = {},
): { manifest?: Manifest; findings: BundleFinding[]; placeOf?: ReadWithPositions['placeOf'] } {
  if (!bytes) return { findings: [{ file: manifestName, message: 'is missing; it must be at the root' }] }
  const { read, placeOf } = readWithPositions(bytes, { for: 'bundle' })
  if (!read.ok)
    return {
      findings: read.findings.map(({ line, column, message }) => ({ file: manifestName, line, column, message })),
    }
  const manifest = read.value
  const findings = [...wrongNames(manifest, expected), ...wrongFiles(manifest, files), ...wrongState(manifest, files)]
  return {
    manifest,
    placeOf,
    findings: findings.map(({ path, message }) => ({ file: manifestName, ...placeOf(path), message })),
  }
}

interface ManifestMistake {
  readonly path: string
  readonly message: string
}

function wrongNames({ name, version }: Manifest, expected: ExpectedManifest): ManifestMistake[] {
  const wrong: ManifestMistake[] = []
  if (expected.name !== undefined && expected.name !== name)
    wrong.push({ path: 'name', message: `is of "${name}", and "${expected.name}" was asked for` })
  if (expected.version !== undefined && expected.version !== version)
    wrong.push({ path: 'version', message: `is version ${version}, and ${expected.version} was asked for` })
  return wrong
}

function wrongFiles({ instructions, mcp, runtime }: Manifest, files: ReadonlySet<string>): ManifestMistake[] {
  const named: [path: string, file: string | undefined][] = [
    ['instructions', instructions],
    ['mcp', mcp],
    ...(runtime?.kind === 'compose'
      ? runtime.files.map((file, i): [string, string] => [`runtime.files[${i}]`, file])
      : []),
  ]
  return named.flatMap(([path, file]) =>
    file === undefined || files.has(file) ? [] : [{ path, message: `names "${file}", which is missing` }],
  )
}

/**
 * Checks the state paths of a manifest. The runtime puts a link at each of them, so none may be the manifest, lie below
 * a file of the bundle, or be a folder (written with `/`) where the bundle has a file.
 */
function wrongState({ state, stateFolders = [] }: Manifest, files: ReadonlySet<string>): ManifestMistake[] {
  return state.flatMap((one, i) => {
    const path = `state[${i}]`
    if (one === manifestName) return [{ path, message: 'keeps the manifest itself as state' }]
    if (stateFolders.includes(one) && files.has(one))
      return [{ path, message: `keeps "${one}/" as a folder, and "${one}" is a file` }]
    const file = foldersAbove(one).find((folder) => files.has(folder))
    return file === undefined ? [] : [{ path, message: `keeps "${one}" as state, and "${file}" is a file` }]
  })
}
