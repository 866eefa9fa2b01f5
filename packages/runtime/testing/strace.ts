/** Checks whether this machine lets a test trace processes and kill them at their system calls. */
import { execFileSync } from 'node:child_process'

/**
 * Why strace cannot be used; undefined if it can. The reason is also printed on standard error, with the names of what
 * is then not tested. `trace` is in strace's syntax.
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
 * The cases that `SVC_TEST_PART` selects, so that a long form can be run in parts: `2/5` selects every fifth case,
 * beginning with the second. All cases if the variable is not set.
 */
export function partOf<T>(all: readonly T[]): readonly T[] {
  const [part = 1, of = 1] = (process.env.SVC_TEST_PART ?? '1/1').split('/').map(Number)
  return all.filter((_, i) => i % of === part - 1)
}
