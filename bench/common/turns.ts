/** Reads the lengths of the turns of a server's event loop. slow/delay.ts records them inside the server. */
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder for recordings. If possible it is in memory, so that recording does not wait for the disk. */
export const recordings = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** The environment variables of a server that records its turns in this file. */
export const notingTurns = (file: string): Record<string, string> => ({
  NODE_OPTIONS: `--import ${join(import.meta.dirname, '../slow/delay.ts')}`,
  SVC_BENCH_DELAY: file,
})

export interface LongestTurn {
  /** The duration of the turn in milliseconds. */
  readonly time: number
  /**
   * The CPU time of the main thread in one turn, in milliseconds. It is the maximum over all turns, which need not be
   * from the longest turn.
   */
  readonly work: number
}

/** The longest turn since the time `from` (Unix milliseconds); NaN if the file of recordings does not exist. */
export function longestTurn(file: string, from: number): LongestTurn {
  if (!existsSync(file)) return { time: Number.NaN, work: Number.NaN }
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const since = lines.map((line) => line.split(' ').map(Number)).filter(([at = 0]) => at >= from)
  return {
    time: Math.max(0, ...since.map(([, time = 0]) => time)),
    work: Math.max(0, ...since.map(([, , work = 0]) => work)),
  }
}
