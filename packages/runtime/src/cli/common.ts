/** Helpers that every command needs. This file must take little memory, since `svc run` stays loaded. */
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { type Folder, folderAt } from '../files/folder.ts'
import { Refusal } from './output.ts'

export interface Common {
  readonly dir: string
  readonly json?: boolean
}

/** Adds the two options of every command. */
export const common = (command: Command): Command =>
  command.option('--dir <dir>', "the agent's folder", '.').option('--json', 'print one JSON value for programs')

export function existing(dir: string): Folder {
  const folder = folderAt(dir)
  if (!existsSync(folder.root)) throw new Refusal(`There is no folder ${folder.root}.`)
  return folder
}
