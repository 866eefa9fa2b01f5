/** Checks that processes can be traced and killed at their system calls here. */
import { execFileSync } from 'node:child_process'

/**
 * Why strace cannot be used; undefined if it can. Prints it on standard error, with what is then not tested. `trace` is
 * in the syntax of strace.
 */
export function straceMissing(trace: string, untested: string): string | undefined {
  try {
    const stdio = ['ignore', 'ignore', 'pipe'] as const
    execFileSync('strace', ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${trace}`, process.execPath, '-e', '0'], {
      stdio: [...stdio],
    })
    return undefined
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[1] ?? error.message) : String(error)
    process.stderr.write(`NOT TESTED: ${untested}, since strace does not work here: ${why}\n`)
    return why
  }
}

/**
 * `SVC_TEST_PART=2/5` selects every fifth from the second on, so that a long form can be run in parts; all if it is not
 * set.
 */
export function partOf<T>(all: readonly T[]): readonly T[] {
  const [part = 1, of = 1] = (process.env.SVC_TEST_PART ?? '1/1').split('/').map(Number)
  return all.filter((_, i) => i % of === part - 1)
}
