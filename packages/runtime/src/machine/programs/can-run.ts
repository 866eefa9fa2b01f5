/** Finds out whether a program can be run on this machine. */
import { accessSync, constants, statSync } from 'node:fs'

/** True if the current user may execute this file. */
export function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** True if there is a regular file at this path, whether or not it can be run. */
export const isFile = (path: string): boolean => {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}
