/**
 * Makes the copy of an agent in which a drill takes place: a temporary folder with the agent's running version, without
 * the agent's token and without a connection to a service.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Manifest, manifestName, type PackedBundle, packFolder, unpackBundle } from '@svc/blueprint'
import { placeVersion } from '../../../install/place.ts'
import { programFile } from '../../../launcher/file.ts'
import { Refusal } from '../../../machine/base/errors.ts'
import { fileNamesIn } from '../../../machine/files/durable.ts'
import { readEnv, whyEnvUnreadable, writeEnv } from '../../../machine/files/env.ts'
import { createFolders, type Folder, folderAt } from '../../../machine/files/folder.ts'
import { type Install, writeInstall } from '../../../state/install-note.ts'
import { fillSettings } from '../../../state/settings.ts'
import { copyShipped } from '../../../state/shipped.ts'
import { currentVersionFolder, linkCurrentTo } from '../../../state/versions/folders.ts'

export interface DrillCopy {
  readonly folder: Folder
  readonly manifest: Manifest
  readonly now: PackedBundle
  /**
   * The files of the running version, packed under another version number. The drill rehearses an update to this
   * version.
   */
  readonly next: PackedBundle
  /** Ends the use of the copy after the drill. The copy is removed from the disk, unless `keep` is true. */
  end(): void
}
interface CopyOptions {
  /**
   * True if the copy begins with the contents of the agent's folder `state`. Otherwise it begins as after an
   * installation, with only the state files that the bundle contains.
   */
  readonly withState: boolean
  /**
   * True if the copy gets the agent's environment variables and secrets, so that the agent can really be started in it.
   * The copy never gets the token.
   */
  readonly withSecrets: boolean
  /** True if the copy stays on the disk after the drill. */
  readonly keep: boolean
}

/**
 * Makes the copy. The agent's folder is only read and never changed. If something fails, throws an Error whose message
 * people can read.
 */
export async function makeDrillCopy(agent: Folder, install: Install, options: CopyOptions): Promise<DrillCopy> {
  // Only the owner can read the temporary folder.
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'svc-drill-')))
  const guarded = options.withSecrets ? guard({ root: join(above, 'agent') }, options) : undefined
  const remove = () => rmSync(above, { recursive: true, force: true, maxRetries: 5 })
  const end = () => {
    if (!options.keep) remove()
    guarded?.over()
  }
  try {
    const currentBundle = await packOrRefuse(realpathSync(agent.current))
    const next = await renamed(currentBundle, join(above, 'next'))
    const folder = folderAt(join(above, 'agent'))
    createFolders(folder)
    if (options.withState) cpSync(agent.state, folder.state, { recursive: true, verbatimSymlinks: true })
    const { version, name } = currentBundle.manifest
    copyShipped(agent, currentVersionFolder(agent), folder)
    const manifest = await placeVersion(folder, {
      bytes: currentBundle.bytes,
      sha256: currentBundle.sha256,
      version,
      blueprint: name,
    })
    linkCurrentTo(folder, currentBundle.sha256)
    for (const file of options.withSecrets ? [agent.env, agent.secrets] : []) {
      const why = whyEnvUnreadable(file)
      if (why !== undefined) throw new Refusal(`${file} ${why}, so its secrets cannot be copied.`)
    }
    const env = options.withSecrets ? [...readEnv(agent.env)].filter(([key]) => key !== 'SVC_TOKEN') : []
    writeEnv(folder.env, new Map(env))
    writeEnv(folder.secrets, options.withSecrets ? readEnv(agent.secrets) : new Map())
    if (fileNamesIn(agent.svc).includes('settings.json')) cpSync(agent.settings, folder.settings)
    const placed = folderAt(folder.root)
    fillSettings(placed, manifest)
    writeInstall(placed, { ...install, version, blueprint: name, sha256: currentBundle.sha256 })
    return { folder: placed, manifest, now: currentBundle, next, end }
  } catch (error) {
    remove()
    guarded?.over()
    throw error
  }
}

async function packOrRefuse(dir: string): Promise<PackedBundle> {
  const made = await packFolder(dir)
  if (!made.ok) throw new Error(`The running version cannot be packed: ${made.message}`)
  return made.value
}

/** Packs the same files as another version: 1.4.0 becomes 1.4.0+drill, a version that no service ever asks for. */
async function renamed({ bytes, manifest }: PackedBundle, dir: string): Promise<PackedBundle> {
  const unpacked = await unpackBundle(bytes, dir)
  if (!unpacked.ok) throw new Error(`The running version cannot be unpacked: ${unpacked.message}`)
  const { version } = manifest
  const wanted = `${version}${version.includes('+') ? '.' : '+'}drill`
  const file = join(dir, manifestName)
  const line = /^(["']?version["']?\s*:\s*)(["']?)[^\s"'#]+\2/m
  writeFileSync(file, readFileSync(file, 'utf8').replace(line, `$1"${wanted}"`))
  const next = await packOrRefuse(dir)
  if (next.manifest.version !== wanted)
    throw new Error(`The line "version:" of ${manifestName} could not be changed for the drill.`)
  return next
}

// Cleans up if a drill is killed. A separate shell reads from a pipe until the drill writes `over` or dies. If the
// drill died, the shell ends the rehearsed agent as `svc stop` does, and removes the copy with its secrets.

const cleanupScript = `read -r word; [ "$word" = over ] && exit; copy=$1; shift; "$@"; [ -z "$copy" ] || rm -rf "$copy"`

/** Starts the shell that cleans up after a killed drill. With `keep`, the copy stays on the disk. */
function guard({ root }: Pick<Folder, 'root'>, { keep }: { keep: boolean }): { over(): void } {
  const program = programFile()
  const file = program.endsWith('.ts') ? [program] : ['-e', 'require(process.argv[1])', program]
  const stop = [process.execPath, ...file, 'stop', '--dir', root]
  const shell = spawn('/bin/sh', ['-c', cleanupScript, 'sh', keep ? '' : dirname(root), ...stop], {
    cwd: '/',
    detached: true, // The shell gets a process group of its own, so that a kill of the drill's group spares it.
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.on('error', () => {}) // Without a shell on this machine, nothing cleans up.
  shell.stdin.on('error', () => {})
  shell.unref()
  return { over: () => shell.stdin.end('over\n') }
}
