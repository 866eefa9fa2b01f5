/** Runs another program to its end, with limits, before a new file of the runtime is used. */
import { type SpawnOptions, spawn } from 'node:child_process'
import { signalGroup } from '../../machine/process/group.ts'

type ChildEnd =
  | {
      readonly is: 'ended'
      readonly code: number | null
      readonly killed: string | null
      readonly out: string
      readonly err: string
    }
  /** The program could not be started. */
  | { readonly is: 'not started'; readonly why: string }
  /** The program was killed, because it took too long or the runtime is stopping. */
  | { readonly is: 'late' | 'stopped' }

interface ChildOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'stdio'> {
  /** The time in milliseconds after which the program is ended. */
  readonly limit: number
  /** Aborted when the runtime is being stopped. */
  readonly signal: AbortSignal
  /** Returns the part that is kept of a long output. */
  readonly kept: (output: string) => string
}

/** Runs a program in a process group of its own. However the program ends, its group is killed. */
export function runChild(
  program: string,
  args: readonly string[],
  { limit, signal, kept, ...options }: ChildOptions,
): Promise<ChildEnd> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, detached: true })
    const end = (how: ChildEnd) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
      resolve(how)
    }
    const timer = setTimeout(() => end({ is: 'late' }), limit)
    const stop = () => end({ is: 'stopped' })
    signal.addEventListener('abort', stop, { once: true })
    let out = ''
    let err = ''
    child.stdout?.on('data', (part: Buffer) => {
      out = kept(out + part)
    })
    child.stderr?.on('data', (part: Buffer) => {
      err = kept(err + part)
    })
    child.once('error', (error) => end({ is: 'not started', why: error.message }))
    child.once('close', (code, killed) => end({ is: 'ended', code, killed, out, err }))
  })
}
