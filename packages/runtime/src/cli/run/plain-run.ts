/**
 * Recognises the command line of a correct `svc run`. Only the code of this command is then loaded, since all loaded
 * code stays in memory for as long as the agent runs. Any other command line, such as one with a typo or `--help`, goes
 * to the complete program, which prints the usual messages.
 */
import type { CommonOptions } from '../kit/common.ts'

/** The options of a correct command line of `svc run`; undefined for any other command line. */
export function plainRunOptions(args: readonly string[]): CommonOptions | undefined {
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
