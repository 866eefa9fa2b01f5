/** Where everything lies in an agent's folder. One folder is one agent. */
import { resolve } from 'node:path'
import { manifestName } from '@svc/blueprint'
import { makeFolder } from './durable.ts'

export interface Folder {
  readonly root: string
  readonly manifest: string
  /** The runtime's own folder; everything below lies in it. */
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
}

export function folderAt(dir: string): Folder {
  const root = resolve(dir)
  const at = (...parts: string[]) => resolve(root, '.svc', ...parts)
  return {
    root,
    manifest: resolve(root, manifestName),
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
  }
}

/** Makes the runtime's own folders. The journal holds what commands carried: for its owner only. */
export function prepare(folder: Folder): void {
  makeFolder(folder.svc)
  makeFolder(folder.journal, 0o700)
  makeFolder(folder.lock)
}
