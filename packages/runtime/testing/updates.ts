/**
 * Makes the tests' service offer versions of one blueprint, and checks what must be true in an agent's folder at any
 * moment (I17 to I20).
 */
import { createHash } from 'node:crypto'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PackedBundle, unpackBundle } from '@svc/blueprint'
import type { Folder } from '../src/machine/files/folder.ts'
import { currentVersionFolder, versionFolderName } from '../src/state/versions/folders.ts'
import { readAskedUpdate } from '../src/updates/agent/ask.ts'
import { readUpdate } from '../src/updates/agent/journal.ts'
import { bundle, bundleManifest } from './blueprint.ts'
import { token } from './folder.ts'
import { json, type Reply, type Service } from './service.ts'

/**
 * Builds another version of the tests' agent. This version has a long time to report that it is well (`start_seconds`),
 * since machines may be slow while the test shortens all durations.
 */
export const versionOf = (
  version: string,
  files: Readonly<Record<string, string>> = {},
  manifest = bundleManifest,
  startSeconds = 1500,
) =>
  bundle({
    'svc.agent.yaml': manifest.replace(
      'version: 1.4.0',
      `version: ${version}\nhealth: {start_seconds: ${startSeconds}}`,
    ),
    ...files,
  })

export const serves =
  ({ bytes, sha256 }: Pick<PackedBundle, 'bytes' | 'sha256'>): Reply =>
  (response) => {
    response
      .writeHead(200, { 'content-type': 'application/zip', 'x-svc-sha256': sha256, 'content-length': bytes.length })
      .end(bytes)
  }

/**
 * Makes the tests' service offer these bundles by version. A request for the bundle of another version gets a 404;
 * requests that are not for bundles are answered as before.
 */
export function offerBundles(service: Service, bundles: Readonly<Record<string, PackedBundle | Reply>>) {
  const others = service.other
  const asked: string[] = []
  service.other = (response, came, socket) => {
    const version = /^\/api\/agent\/v1\/bundle\/(.+)$/.exec(came.path)?.[1]
    if (version === undefined) return others(response, came, socket)
    asked.push(decodeURIComponent(version))
    const found = bundles[decodeURIComponent(version)]
    const reply =
      came.token !== token
        ? json({ error: { code: 'token_unknown', message: 'No.' } }, 401)
        : found === undefined
          ? json({ error: { code: 'bundle_unknown', message: 'There is no such version.' } }, 404)
          : typeof found === 'function'
            ? found
            : serves(found)
    reply(response, came, socket)
  }
  return {
    /** The versions whose bundles were requested, in order. */
    asked,
    wish(
      version: string | undefined,
      { blueprint = 'mail-triage', now }: { blueprint?: string; now?: boolean } = {},
    ): void {
      service.usual = json({
        commands: [],
        interval: 5,
        ...(version !== undefined && { desired: { blueprint, version, ...(now && { now }) } }),
      })
    },
  }
}

/**
 * The version and outcome that the next start of the runtime must reach (docs/decisions/kills.md) after an update from
 * 1.4.0 to `next` was disturbed. They follow from the journal and from `current`.
 */
export function restOf(
  folder: Folder,
  next: Pick<PackedBundle, 'sha256' | 'manifest'>,
): { version: string; outcome: string } {
  const journal = readUpdate(folder)
  const { version } = next.manifest
  const kept = { version, outcome: 'ok' }
  const back = { version: '1.4.0', outcome: 'rolled_back' }
  const unchanged = { version: '1.4.0', outcome: 'failed' }
  const leadsNew = currentVersionFolder(folder) === versionFolderName(next.sha256)
  switch (journal?.state) {
    case undefined:
      return { version: '1.4.0', outcome: 'ok' }
    case 'fetching':
    case 'staging':
      return unchanged
    case 'swapping':
      return leadsNew ? kept : unchanged
    case 'proving':
      return leadsNew && (journal.proofs ?? 1) < 2 ? kept : back
    case 'watching':
      return leadsNew && !readAskedUpdate(folder) ? kept : back
    case 'undoing':
      return back
    case 'idle':
      return { version: journal.running.version, outcome: journal.applied?.outcome ?? 'ok' }
  }
}

/** The checksums of the files in a folder, by path. Links are not followed. */
export function filesIn(root: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const path = join(below, entry.name)
    if (entry.isFile()) found[path] = sum(readFileSync(join(root, path)))
    if (entry.isDirectory()) Object.assign(found, filesIn(root, path))
  }
  return found
}
const sum = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Checks that `current` leads to a complete version, byte for byte (I17). Returns the name of that version. */
export function expectWhole(folder: Folder, known: readonly PackedBundle[]): string {
  const name = readlinkSync(folder.current).split('/').at(-1) ?? ''
  const packed = known.find((p) => versionFolderName(p.sha256) === name)
  if (!packed) throw new Error(`current leads to ${name}, which is none of the versions`)
  const root = join(folder.versions, name)
  const expected = wholeOf.get(packed) ?? {}
  const found = filesIn(root)
  if (JSON.stringify(sortFiles(found)) !== JSON.stringify(sortFiles(expected)))
    throw new Error(`${packed.manifest.version} in place is not whole: ${JSON.stringify({ found, expected })}`)
  if (!lstatSync(join(root, 'state')).isSymbolicLink()) throw new Error('its state is not linked')
  return packed.manifest.version
}
const sortFiles = (files: Record<string, string>) => Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))

/** The checksums of the files of each complete version, from a separate unpacking of its bundle. */
const wholeOf = new Map<PackedBundle, Record<string, string>>()
export async function learnFiles(packed: PackedBundle): Promise<PackedBundle> {
  const above = mkdtempSync(join(tmpdir(), 'svc-whole-'))
  try {
    const root = join(above, 'it')
    const unpacked = await unpackBundle(packed.bytes, root)
    if (!unpacked.ok) throw new Error(unpacked.message)
    rmSync(join(root, 'state'), { recursive: true, force: true })
    wholeOf.set(packed, filesIn(root))
  } finally {
    rmSync(above, { recursive: true, force: true })
  }
  return packed
}
