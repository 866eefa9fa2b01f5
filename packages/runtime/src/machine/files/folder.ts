/**
 * The paths of an agent's folder; each agent has one folder. The files of an agent that was connected by hand are in
 * the folder itself. An agent that was installed from a blueprint has one folder for each version, and the link
 * `current` leads to the version that should run.
 */
import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import { createFolder } from './durable.ts'

/**
 * The file name of a manifest. The blueprint package has the same constant, but importing it would keep that package in
 * the launcher's memory.
 */
const manifestName = 'svc.agent.yaml'

/** The paths in the folder of one agent. */
export interface Folder {
  readonly root: string
  /**
   * The folder that contains the manifest and the files it names: the agent's folder itself, or `current` for an agent
   * that was installed from a blueprint.
   */
  readonly home: string
  /** True if the agent was installed from a blueprint. */
  readonly installed: boolean
  readonly manifest: string
  readonly current: string
  readonly versions: string
  /** The folder for data that stays when the version changes (2.12, `SVC_STATE_DIR`). */
  readonly state: string
  /** The runtime's own folder, `.svc`; all following paths are in it. */
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
  /** The note about the agent's versions and the update of the agent that is in progress. */
  readonly update: string
  /** The note with a person's request on this machine to roll the agent back, lift its holds or end its watch. */
  readonly updateAsk: string
  readonly bindings: string
  /**
   * The note that lists, for each version, the state paths at which the version's bundle contained a file. If the agent
   * deletes such a file, the runtime does not create a folder in its place.
   */
  readonly shipped: string
  /** The note about when the agent wrote its status file and how long it paused between writes. */
  readonly statusWrites: string
  readonly staging: string
  readonly log: string
  /** The file with the output of the agent's process. */
  readonly output: string
  /** The runtime's own log. */
  readonly runtimeLog: string
  /**
   * Four paths: the agent's copy of `svc.pyz`, the folder of that copy, the previous copy, and the note about both
   * copies.
   */
  readonly runtime: string
  readonly runtimeFolder: string
  readonly runtimePrevious: string
  readonly runtimeNote: string
  /** The version to which a person pinned the runtime. */
  readonly runtimePin: string
  /** The note with which a person's command asks the running launcher for a rollback of the runtime. */
  readonly runtimeBack: string
  /** The path of `start.cjs`, the file that the service manager of the machine (such as systemd) starts. */
  readonly runtimeStarter: string
  /** The folder in which a downloaded file of the runtime stays until it replaces the current one. */
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

/** Creates `.svc` with the folders of the journal and the locks. Only the owner can read the journal. */
export function createFolders(folder: Folder): void {
  createFolder(folder.svc)
  createFolder(folder.journal, 0o700)
  createFolder(folder.lock)
}
