/** `npm run check`: types, lint and format, in one go; the exit code is the number of checks that failed. */
import { spawnSync } from 'node:child_process'

const checks = [
  // The build info keeps the last result, so only what changed since is checked again. Each checker works out shared types for
  // itself: two need half the CPU time of the default four.
  ['types', 'tsc', '-p', '.', '--incremental', '--tsBuildInfoFile', '.cache/types.tsbuildinfo', '--checkers', '2'],
  ['lint and format', 'biome', 'check', '--error-on-warnings', '.'],
] as const

let failed = 0
for (const [name, command, ...args] of checks) {
  const { status } = spawnSync(`node_modules/.bin/${command}`, args, { stdio: 'inherit' })
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  if (status !== 0) failed++
}
process.exit(failed)
