/**
 * Recognises a `svc run` that needs no explanation, so that no other command is loaded, which would stay in memory as
 * long as the agent runs. Anything else, such as a typo or `--help`, goes the usual way and prints the usual words.
 */
import type { Common } from './common.ts'

export function plainRun(args: readonly string[]): Common | undefined {
  if (args[0] !== 'run') return undefined
  let dir = '.'
  let json = false
  for (let at = 1; at < args.length; at++) {
    const [arg = '', next] = args.slice(at)
    if (arg === '--json') json = true
    else if (arg.startsWith('--dir=')) dir = arg.slice('--dir='.length)
    else if (arg === '--dir' && next !== undefined && !next.startsWith('-')) dir = args[++at] ?? dir
    else return undefined
  }
  return { dir, ...(json && { json }) }
}
