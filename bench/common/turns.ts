/** The turns of a server's event loop, recorded by slow/delay.ts inside the server. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The environment of a server that records its turns in this file. */
export const notingTurns = (file: string): Record<string, string> => ({
  NODE_OPTIONS: `--import ${join(import.meta.dirname, '../slow/delay.ts')}`,
  SVC_BENCH_DELAY: file,
})

/** The longest turn since `from` (Unix milliseconds), in milliseconds. */
export function longestTurn(file: string, from: number): number {
  if (!existsSync(file)) return Number.NaN
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const since = lines.map((line) => line.split(' ').map(Number)).filter(([at = 0]) => at >= from)
  return Math.max(0, ...since.map(([, longest = 0]) => longest))
}
