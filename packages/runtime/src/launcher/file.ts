/** Decides which file the runtime proper is loaded from, and how a process of it is started. */
import { existsSync, realpathSync } from 'node:fs'
import type { Folder } from '../files/folder.ts'
import { onTrial } from '../versions/runtime-note.ts'
import { writeStarter } from './trial-files.ts'

/** The file that the runtime proper is loaded from: the folder's own copy, or the program itself. */
export function ownFile(folder: Pick<Folder, 'runtime'>): string {
  return existsSync(folder.runtime) ? folder.runtime : programFile()
}

/** This program's file, whatever loaded it: `svc.pyz`, or main.ts if run from source. */
export const programFile = (): string => realpathSync(process.argv[1] ?? '')

/**
 * The arguments of `node` that start this folder's runtime. If the folder has its own copy it is started through the
 * starter (D38).
 */
export function startArgs(folder: Folder): string[] {
  const file = ownFile(folder)
  if (file.endsWith('.ts')) return [file]
  if (file !== folder.runtime) return ['-e', 'require(process.argv[1])', file]
  if (!existsSync(folder.runtimeStarter) || !onTrial(folder)) writeStarter(folder)
  return [folder.runtimeStarter]
}
