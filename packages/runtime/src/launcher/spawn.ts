/** Starts a process in its own process group. It inherits no open files of the runtime except its output. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { messageOf } from '../errors.ts'
import type { Folder } from '../files/folder.ts'
import { type Output, openOutput } from './output.ts'

/** How the agent is started. `env` is the whole environment except the time of the start. */
export interface RunSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /**
   * A command that runs after the agent's process group had to be killed. It ends what is outside of the group
   * (containers).
   */
  readonly cleanup?: readonly string[]
  /** The log in the manifest that the output goes to; absent if it goes to svc's own file. */
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
