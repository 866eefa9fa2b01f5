/**
 * Decides from which file the worker is loaded, and with which arguments `node` starts the runtime of a folder.
 */
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Folder } from '../machine/files/folder.ts'
import { isOnTrial } from '../state/versions/runtime-note.ts'
import { writeStarter } from './starter.ts'

/**
 * The file that the worker is loaded from: the copy of svc in the agent's folder or, if there is none, the program that
 * runs now.
 */
export function runtimeFile(folder: Pick<Folder, 'runtime'>): string {
  return existsSync(folder.runtime) ? folder.runtime : programFile()
}

/** The file of this program, however it was started: `svc.pyz`, or main.ts if it runs from source. */
export const programFile = (): string => realpathSync(process.argv[1] ?? '')

/** The path of this program as it was started. Links are not resolved, so the path stays right if a link is changed. */
export const programPath = (): string => resolve(process.argv[1] ?? '')

/**
 * The arguments with which `node` starts the runtime of this folder. If the folder has its own copy of svc, `start.cjs`
 * loads that copy (D38); this function writes `start.cjs` if needed.
 */
export function startArgs(folder: Folder): string[] {
  const file = runtimeFile(folder)
  if (file.endsWith('.ts')) return [programPath()]
  if (file !== folder.runtime) return ['-e', 'require(process.argv[1])', programPath()]
  if (!existsSync(folder.runtimeStarter) || !isOnTrial(folder)) writeStarter(folder)
  return [folder.runtimeStarter]
}
