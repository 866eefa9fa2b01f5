/**
 * Builds the environment of the agent's process: the variables that section 2.12 names, and variables of this machine
 * that any program needs. No other variable of the runtime's own environment is passed on, and never the runtime's
 * token (D54).
 */
import type { Manifest } from '@svc/blueprint'
import type { SettingValue } from '@svc/protocol'
import { readEnv } from '../machine/files/env.ts'
import type { Folder } from '../machine/files/folder.ts'
import { settingsInForce } from '../state/settings.ts'

/**
 * The names of the variables that the agent gets from the runtime's own environment: PATH, user and home folder,
 * language, time zone, and the proxies and certificates of the network.
 */
const machine =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|XDG_RUNTIME_DIR|(?:HTTPS?|ALL|NO)_PROXY|(?:https?|all|no)_proxy|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE)$/
/** The variables from which `docker` learns how to reach its engine. */
const docker = /^DOCKER_(?:HOST|CONTEXT|CONFIG|CERT_PATH|TLS_VERIFY)$/

/** Returns the agent's environment without `SVC_AGENT_STARTED`, which the launcher adds at each start. */
export function environment(
  folder: Folder,
  manifest: Pick<Manifest, 'settings' | 'runtime'>,
  own: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const compose = manifest.runtime?.kind === 'compose'
  const given = Object.entries(own).filter(([name]) => machine.test(name) || (compose && docker.test(name)))
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
