/** Determines how the agent must be started (2.10, 2.12), from its current files. */
import { createHash } from 'node:crypto'
import { basename, resolve } from 'node:path'
import type { Manifest, Runtime } from '@svc/blueprint'
import type { Folder } from '../files/folder.ts'
import { hint } from '../hint.ts'
import type { Order } from '../launcher/supervision.ts'
import { createStatePaths, placeOf } from '../state/paths.ts'
import { fillSettings } from '../state/settings.ts'
import { leadsTo } from '../versions/folders.ts'
import { environment } from './environment.ts'

/** A sentence about why an agent without the part `runtime` in its manifest cannot be started. */
export const missingRuntime = (folder: Folder, name: string): string =>
  `${folder.manifest} has no "runtime", so svc does not know how to start ${name}. Add it, or start the agent yourself and use "${hint('report')}".`

export function orderOf(folder: Folder, manifest: Manifest): Order | undefined {
  const { runtime } = manifest
  if (!runtime) return undefined
  const version = versionOf(folder)
  createStatePaths(folder, manifest, version)
  fillSettings(folder, manifest)
  const output = manifest.logs.find((log) => log.output)
  return {
    ...(runtime.kind === 'process'
      ? { argv: runtime.command, cwd: resolve(folder.home, runtime.workdir) }
      : compose({ ...folder, home: folder.installed ? folder.current : folder.home }, manifest.name, runtime)),
    env: environment(folder, manifest),
    restart: runtime.restart,
    stopSeconds: runtime.stop_seconds,
    ...(output && { output: placeOf(folder, manifest, output.path) }),
    ...(version !== undefined && { version }),
  }
}

/**
 * The folder name of the version from which files are read. The folder either leads there through `current` or was
 * fixed to one version.
 */
function versionOf(folder: Folder): string | undefined {
  if (!folder.installed) return undefined
  return folder.home === folder.current ? leadsTo(folder) : basename(folder.home)
}

/**
 * How an agent in containers is started: `docker compose up` in the foreground is its process, and ending that stops
 * the containers. If it had to be killed, another command kills the containers.
 */
function compose(
  folder: Pick<Folder, 'home' | 'root'>,
  name: string,
  { files, stop_seconds }: Extract<Runtime, { kind: 'compose' }>,
): { argv: string[]; cwd: string; cleanup: string[] } {
  const named = files.flatMap((file) => ['--file', resolve(folder.home, file)])
  const base = [
    'docker',
    'compose',
    '--project-name',
    projectOf(folder.root, name),
    '--project-directory',
    folder.home,
    ...named,
  ]
  return {
    argv: [...base, 'up', '--no-color', '--remove-orphans', '--timeout', String(stop_seconds)],
    cwd: folder.home,
    cleanup: [...base, 'kill', '--remove-orphans'],
  }
}

/**
 * The name of the compose project. It is unique to the folder, since the agents of two folders must not share
 * containers even if they have the same name.
 */
const projectOf = (root: string, name: string): string =>
  `svc-${name}-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`
