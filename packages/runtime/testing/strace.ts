/** Whether processes can be followed and killed at their system calls here. */
import { execFileSync } from 'node:child_process'

/** Why strace cannot be used; undefined when it can. Says so on standard error, with what is then not tested. `trace` as strace takes it. */
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
