/** The turns of a server's event loop, recorded by slow/delay.ts inside the server. */
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A place for recordings that is in memory where the system has one, so that recording does not wait for the disk. */
export const recordings = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** The environment of a server that records its turns in this file. */
export const notingTurns = (file: string): Record<string, string> => ({
  NODE_OPTIONS: `--import ${join(import.meta.dirname, '../slow/delay.ts')}`,
  SVC_BENCH_DELAY: file,
})

export interface LongestTurn {
  /** Milliseconds. */
  readonly time: number
  /** CPU time of the main thread in one turn, in milliseconds: the most in any turn, not always in the longest. */
  readonly work: number
}

/** The longest turn since `from` (Unix milliseconds); NaN if none was recorded. */
export function longestTurn(file: string, from: number): LongestTurn {
  if (!existsSync(file)) return { time: Number.NaN, work: Number.NaN }
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const since = lines.map((line) => line.split(' ').map(Number)).filter(([at = 0]) => at >= from)
  return {
    time: Math.max(0, ...since.map(([, time = 0]) => time)),
    work: Math.max(0, ...since.map(([, , work = 0]) => work)),
  }
}
