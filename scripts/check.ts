/** `npm run check`: types, lint and format, in one go; the exit code is the number of checks that failed. */
import { spawnSync } from 'node:child_process'

const checks = [
  // One project a package (tsconfig.json). What was found is kept beside each, so only what changed since is checked again.
  // Several checkers would each work out the shared types for themselves: one needs the least CPU time.
  ['types', 'tsc', '-b', '--checkers', '1'],
  ['lint and format', 'biome', 'check', '--error-on-warnings', '.'],
] as const

let failed = 0
for (const [name, command, ...args] of checks) {
  const { status } = spawnSync(`node_modules/.bin/${command}`, args, { stdio: 'inherit' })
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  if (status !== 0) failed++
}
process.exit(failed)
