/**
 * Installs an agent on this machine after its code was redeemed. The order of the steps shows a later start how far
 * they got (docs/decisions/kills.md): the version, its state, `current`, the environment files, the settings, and last
 * the note that everything is complete.
 */
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Manifest, unpackBundle } from '@svc/blueprint'
import type { RedeemedCode, SettingValues } from '@svc/protocol'
import { writeStarter } from '../launcher/starter.ts'
import { createFolder, fileNamesIn, syncFolder, writeDurably } from '../machine/files/durable.ts'
import { writeEnv } from '../machine/files/env.ts'
import { createFolders, type Folder, folderAt } from '../machine/files/folder.ts'
import { variablesToRemember } from '../machine/files/network.ts'
import type { Author } from '../state/changes.ts'
import { type Install, writeInstall } from '../state/install-note.ts'
import { linkState } from '../state/paths.ts'
import { changeSettings, fillSettings } from '../state/settings.ts'
import { linkCurrentTo, versionFolder } from '../state/versions/folders.ts'

interface InstallParts {
  readonly redeemed: RedeemedCode & { readonly bytes: Uint8Array }
  readonly origin: string
  readonly secrets: ReadonlyMap<string, string>
  /** The values of settings that a person chose at the installation, and that person. */
  readonly chosen?: { readonly values: SettingValues; readonly author: Author } | undefined
  /** The path of the running `svc.pyz`, which is copied into the agent's folder; undefined if svc runs from source. */
  readonly program: string | undefined
}

/**
 * Installs the redeemed agent in its folder. Throws an Error with a sentence for people; the note of the installation
 * then still says `redeemed`, so later commands see that it is unfinished.
 */
export async function placeAgent(
  folder: Folder,
  install: Install,
  { redeemed, origin, secrets, chosen, program }: InstallParts,
): Promise<Manifest> {
  const { sha256, version, blueprint, env, bytes } = redeemed
  const manifest = await placeVersion(folder, { bytes, sha256: sha256.toLowerCase(), version, blueprint })
  linkCurrentTo(folder, sha256)
  createFolders(folder)
  const remembered = Object.entries(variablesToRemember(origin)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  writeEnv(folder.env, new Map([...Object.entries(env), ...remembered, ['SVC_URL', origin]]))
  writeEnv(folder.secrets, secrets)
  const placed = folderAt(folder.root)
  fillSettings(placed, manifest)
  if (chosen) changeSettings(placed, manifest, chosen.values, chosen.author)
  if (program !== undefined) keepProgram(folder, program)
  writeInstall(folder, { ...install, is: 'installed', sha256: sha256.toLowerCase() })
  return manifest
}

/**
 * The error of a version that could not be unpacked. If `verdict` is true, the bundle is at fault, so unpacking would
 * fail on every machine. Otherwise the disk of this machine is at fault (D26).
 */
export class NotPlacedError extends Error {
  readonly verdict: boolean
  constructor(message: string, verdict: boolean) {
    super(message)
    this.name = 'NotPlacedError'
    this.verdict = verdict
  }
}

/**
 * Unpacks a bundle in the staging folder, links the state into it, and renames it into `versions`. Therefore everything
 * in `versions` is complete (I17, I19).
 */
export async function placeVersion(
  folder: Folder,
  { bytes, sha256, version, blueprint }: { bytes: Uint8Array; sha256: string; version: string; blueprint: string },
): Promise<Manifest> {
  const final = versionFolder(folder, sha256)
  createFolder(folder.staging)
  createFolder(folder.versions)
  for (const left of fileNamesIn(folder.staging)) rmSync(join(folder.staging, left), { recursive: true, force: true })
  const staged = join(folder.staging, basename(final))
  const unpacked = await unpackBundle(bytes, staged, { expected: { name: blueprint, version, sha256 } })
  if (!unpacked.ok) {
    const verdict = unpacked.code === 'bundle_refused'
    throw new NotPlacedError(verdict ? `The bundle was refused: ${unpacked.message}` : unpacked.message, verdict)
  }
  const { manifest } = unpacked.value
  try {
    linkState(folder, manifest, staged, final)
    renameSync(staged, final)
  } catch (error) {
    rmSync(staged, { recursive: true, force: true })
    throw error
  }
  syncFolder(folder.versions)
  return manifest
}

/** Copies svc into the agent's folder, and writes the file `start.cjs` that starts this copy. */
export function keepProgram(folder: Folder, program: string): void {
  createFolder(dirname(folder.runtime))
  writeStarter(folder)
  writeDurably(folder.runtime, readFileSync(program), 0o755)
}
