/** Determines with which command, folder and environment the launcher must start the agent (2.10, 2.12). */
import { createHash } from 'node:crypto'
import { basename, resolve } from 'node:path'
import type { Manifest, Runtime } from '@svc/blueprint'
import type { SettingValue } from '@svc/protocol'
import type { StartOrder } from '../launcher/supervision.ts'
import { messageOf } from '../machine/base/errors.ts'
import { readEnv } from '../machine/files/env.ts'
import type { Folder } from '../machine/files/folder.ts'
import { isDiskFault } from '../machine/files/space.ts'
import { commandHint } from '../machine/hint.ts'
import { createStatePaths, machinePathOf } from '../state/paths.ts'
import { fillSettings, settingsInForce } from '../state/settings.ts'
import { currentVersionFolder } from '../state/versions/folders.ts'

/** Explains that an agent cannot be started because its manifest has no part `runtime`. */
export const missingRuntime = (folder: Folder, name: string): string =>
  `${folder.manifest} has no "runtime", so svc does not know how to start ${name}. Add it, or start the agent yourself and use "${commandHint('report')}".`

/**
 * The order for the next start; undefined if svc does not start this agent. If the disk refuses to update the settings
 * file, `say` gets the reason. The agent's environment has the right settings nevertheless.
 */
export function startOrderOf(
  folder: Folder,
  manifest: Manifest,
  say: (line: string) => void = () => {},
): StartOrder | undefined {
  const { runtime } = manifest
  if (!runtime) return undefined
  const version = versionOf(folder)
  createStatePaths(folder, manifest, version)
  try {
    fillSettings(folder, manifest)
  } catch (error) {
    if (!isDiskFault(error)) throw error
    say(`the settings file could not be updated: ${messageOf(error)}`)
  }
  const output = manifest.logs.find((log) => log.output)
  return {
    ...(runtime.kind === 'process'
      ? { argv: runtime.command, cwd: resolve(folder.home, runtime.workdir) }
      : compose({ ...folder, home: folder.installed ? folder.current : folder.home }, manifest.name, runtime)),
    env: environment(folder, manifest),
    restart: runtime.restart,
    stopSeconds: runtime.stop_seconds,
    ...(output && { output: machinePathOf(folder, manifest, output.path) }),
    ...(version !== undefined && { version }),
  }
}

/**
 * The folder name of the version from which the agent is started; undefined if the agent was not installed from a
 * blueprint. `folder.home` is either the link `current` or the folder of one version.
 */
function versionOf(folder: Folder): string | undefined {
  if (!folder.installed) return undefined
  return folder.home === folder.current ? currentVersionFolder(folder) : basename(folder.home)
}

/**
 * The way to start an agent in containers. Its process is `docker compose up`, which stops the containers when it is
 * asked to end. If the runtime has to kill that process, it runs `cleanup`.
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
 * The name of the compose project. It is different for each folder, so that agents of the same name do not share
 * containers.
 */
const projectOf = (root: string, name: string): string =>
  `svc-${name}-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`

// The environment of the agent's process has the variables of section 2.12, those of the agent's environment files, and
// a few of the runtime's own environment. It never has the runtime's token (D54).

/** The names of the variables that the agent gets from the runtime's own environment. */
const machineVariables =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|XDG_RUNTIME_DIR|(?:HTTPS?|ALL|NO)_PROXY|(?:https?|all|no)_proxy|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE)$/
/** The variables that tell `docker` how to reach its engine. Only agents in containers get them. */
const dockerVariables = /^DOCKER_(?:HOST|CONTEXT|CONFIG|CERT_PATH|TLS_VERIFY)$/

/** Returns the agent's environment without `SVC_AGENT_STARTED`, which the launcher adds at each start. */
function environment(
  folder: Folder,
  manifest: Pick<Manifest, 'settings' | 'runtime'>,
  own: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const compose = manifest.runtime?.kind === 'compose'
  const given = Object.entries(own).filter(
    ([name]) => machineVariables.test(name) || (compose && dockerVariables.test(name)),
  )
  const agentEnv = [...readEnv(folder.env)].filter(([name]) => name !== 'SVC_TOKEN')
  const settings = Object.entries(settingsInForce(folder, manifest)).map(
    ([key, value]) => [`SVC_SETTING_${key.toUpperCase()}`, written(value)] as const,
  )
  return Object.fromEntries([
    ...given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    ...agentEnv,
    ...readEnv(folder.secrets),
    ...settings,
    ['SVC_SETTINGS_FILE', folder.settings],
    ['SVC_PAUSE_FILE', folder.paused],
    ['SVC_RUN_NOW_FILE', folder.runNow],
    ['SVC_STATE_DIR', folder.state],
    ['SVC_AGENT_DIR', folder.root],
  ])
}

/** The value of a setting as text: `true` or `false` for a bool, empty if it is not set. */
const written = (value: SettingValue): string => (value === null ? '' : String(value))
