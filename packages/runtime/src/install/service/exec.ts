/** Runs a program such as systemctl or loginctl to its end, never through a shell. */
import { execFile } from 'node:child_process'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  /** True if the program does not exist. */
  readonly missing: boolean
}

export const exec = (program: string, args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(program, args, { timeout: 330_000, maxBuffer: 4 * 1024 * 1024 }, (error, out, err) => {
      const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0
      resolve({ code, out, err, missing: error?.code === ('ENOENT' as unknown) })
    })
  })
