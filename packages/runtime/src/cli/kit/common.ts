/**
 * Helpers that most commands use. This file must need little memory, since `svc run` keeps it loaded for as long as the
 * agent runs.
 */
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { type Folder, folderAt } from '../../machine/files/folder.ts'
import { Refusal } from './output.ts'

/** The values of the options that most commands have. */
export interface CommonOptions {
  readonly dir: string
  readonly json?: boolean
}

/** Adds the two options that most commands have, `--dir` and `--json`. */
export const withCommonOptions = (command: Command): Command =>
  command.option('--dir <dir>', "the agent's folder", '.').option('--json', 'print one JSON value for programs')

/** The paths of the folder `dir`. Refuses if the folder does not exist. */
export function existingFolder(dir: string): Folder {
  const folder = folderAt(dir)
  if (!existsSync(folder.root)) throw new Refusal(`There is no folder ${folder.root}.`)
  return folder
}
