/**
 * The paths of an agent's folder. One folder is one agent. If it was connected by hand its files are in the folder
 * itself; if it was installed from a blueprint they are in the version that `current` leads to.
 */
import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import { createFolder } from './durable.ts'

/** The same name as in the blueprint package, which the launcher does not load because it would stay in memory. */
const manifestName = 'svc.agent.yaml'

export interface Folder {
  readonly root: string
  /** The folder of the manifest and of the files it names: the folder itself, or `current` of an installed agent. */
  readonly home: string
  /** True if installed from a blueprint. */
  readonly installed: boolean
  readonly manifest: string
  readonly current: string
  readonly versions: string
  /** Data that outlives versions (2.12, `SVC_STATE_DIR`). */
  readonly state: string
  /** The runtime's own folder, which holds everything below. */
  readonly svc: string
  readonly env: string
  readonly secrets: string
  readonly settings: string
  readonly paused: string
  readonly runNow: string
  readonly account: string
  readonly lock: string
  readonly journal: string
  readonly commands: string
  readonly changes: string
  readonly outbox: string
  /** The note about the agent's process. */
  readonly process: string
  readonly install: string
  /** The note about the agent's versions. */
  readonly update: string
  /** The request of a person on the machine about versions. */
  readonly updateAsk: string
  readonly bindings: string
  /** The state paths that are files because a version shipped one. */
  readonly shipped: string
  /** Findings from the writes of the status file. */
  readonly statusWrites: string
  readonly staging: string
  readonly log: string
  /** The output of the agent. */
  readonly output: string
  /** The log of the runtime. */
  readonly runtimeLog: string
  /** The runtime's own copy of itself, the previous copy, and the note about both. */
  readonly runtime: string
  readonly runtimeFolder: string
  readonly runtimePrevious: string
  readonly runtimeNote: string
  /** The version that a person pinned. */
  readonly runtimePin: string
  /** A person's request for the previous runtime, for the launcher. */
  readonly runtimeBack: string
  /** The file that a unit starts. */
  readonly runtimeStarter: string
  /** A new runtime until it is in place. */
  readonly runtimeNew: string
  readonly selfUpdate: string
}

export function folderAt(dir: string): Folder {
  const root = resolve(dir)
  const at = (...parts: string[]) => resolve(root, '.svc', ...parts)
  const current = resolve(root, 'current')
  const installed = lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink() === true
  const home = installed ? current : root
  return {
    root,
    home,
    installed,
    manifest: resolve(home, manifestName),
    current,
    versions: resolve(root, 'versions'),
    state: resolve(root, 'state'),
    svc: at(),
    env: at('agent.env'),
    secrets: at('secrets.env'),
    settings: at('settings.json'),
    paused: at('paused'),
    runNow: at('run_now'),
    account: at('account.json'),
    lock: at('lock'),
    journal: at('journal'),
    commands: at('journal', 'commands.json'),
    changes: at('journal', 'changes.json'),
    outbox: at('journal', 'outbox.json'),
    process: at('journal', 'process.json'),
    install: at('journal', 'install.json'),
    update: at('journal', 'update.json'),
    updateAsk: at('update-ask.json'),
    bindings: at('journal', 'bindings.json'),
    shipped: at('journal', 'shipped.json'),
    statusWrites: at('journal', 'status-writes.json'),
    staging: at('staging'),
    log: at('log'),
    output: at('log', 'agent.log'),
    runtimeLog: at('log', 'svc.log'),
    runtime: at('runtime', 'svc.pyz'),
    runtimeFolder: at('runtime'),
    runtimePrevious: at('runtime', 'svc.pyz.previous'),
    runtimeNote: at('runtime', 'runtime.json'),
    runtimePin: at('runtime', 'pinned'),
    runtimeBack: at('runtime', 'back'),
    runtimeStarter: at('runtime', 'start.cjs'),
    runtimeNew: at('runtime', 'new'),
    selfUpdate: at('journal', 'self-update.json'),
  }
}

/** Makes the runtime's own folders. The journal holds payloads of commands, so it is readable only by its owner. */
export function prepare(folder: Folder): void {
  createFolder(folder.svc)
  createFolder(folder.journal, 0o700)
  createFolder(folder.lock)
}
