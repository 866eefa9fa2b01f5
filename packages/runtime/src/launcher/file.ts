/** Which file the runtime proper is loaded from. */
import { existsSync, realpathSync } from 'node:fs'
import type { Folder } from '../files/folder.ts'

/** The file that the runtime proper is loaded from: the folder's own copy, or the program itself. */
export function ownFile(folder: Pick<Folder, 'runtime'>): string {
  return existsSync(folder.runtime) ? folder.runtime : programFile()
}

/** This program's file, whoever loaded it: `svc.pyz`, or main.ts when run from source. */
export const programFile = (): string => realpathSync(process.argv[1] ?? '')
