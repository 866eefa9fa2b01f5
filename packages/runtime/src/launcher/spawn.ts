/** Starts a process in its own group, with none of our files open except its output. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { messageOf } from '../errors.ts'
import type { Folder } from '../files/folder.ts'
import { type Output, openOutput } from './output.ts'

/** How the agent is started: the whole environment except the time of its start. */
export interface RunSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Run after the group had to be killed, for what is outside of it (containers). */
  readonly cleanup?: readonly string[]
  /** The file that the manifest declares for the output; absent if it goes to our own. */
  readonly output?: string
}

type Spawned =
  | { readonly ok: true; readonly pid: number; readonly child: ChildProcess; readonly output?: string | undefined }
  | { readonly ok: false; readonly error: string }

export async function start(folder: Folder, { argv, cwd, env, output }: RunSpec, started: string): Promise<Spawned> {
  const [program = '', ...args] = argv
  let to: Output | undefined
  try {
    to = openOutput(folder, output)
    const child = spawn(program, args, {
      cwd,
      env: { ...env, SVC_AGENT_STARTED: started },
      detached: true,
      stdio: ['ignore', to.fd, to.fd],
    })
    const { pid } = child
    if (pid !== undefined) return { ok: true, pid, child: child.on('error', () => {}), output: to.declared }
    const error = await new Promise<Error>((resolve) => child.once('error', resolve))
    return { ok: false, error: startError(error, program, cwd) }
  } catch (error) {
    return { ok: false, error: startError(error, program, cwd) }
  } finally {
    if (to) closeSync(to.fd)
  }
}

function startError(error: unknown, program: string, cwd: string): string {
  const message = messageOf(error)
  return message.includes('ENOENT') ? `${program} or the folder ${cwd} is not there` : message
}
