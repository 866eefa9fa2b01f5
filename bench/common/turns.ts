/** Reads the lengths of the turns of a server's event loop. slow/delay.ts records them inside the server. */
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder for recordings of turns. If possible it is in memory, so that recording does not wait for the disk. */
export const recordingsFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** The environment variables with which a server records the turns of its event loop in `file`. */
export const notingTurns = (file: string): Record<string, string> => ({
  NODE_OPTIONS: `--import ${join(import.meta.dirname, '../slow/delay.ts')}`,
  SVC_BENCH_DELAY: file,
})

export interface LongestTurn {
  /** The duration of the longest turn, in milliseconds. */
  readonly time: number
  /**
   * The maximum CPU time that the main thread used in any turn, in milliseconds. That turn need not be the longest one.
   */
  readonly work: number
}

/**
 * The longest turn that was recorded since the time `from` (Unix milliseconds); NaN if the file of recordings does not
 * exist.
 */
export function longestTurn(file: string, from: number): LongestTurn {
  if (!existsSync(file)) return { time: Number.NaN, work: Number.NaN }
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const since = lines.map((line) => line.split(' ').map(Number)).filter(([at = 0]) => at >= from)
  return {
    time: Math.max(0, ...since.map(([, time = 0]) => time)),
    work: Math.max(0, ...since.map(([, , work = 0]) => work)),
  }
}
