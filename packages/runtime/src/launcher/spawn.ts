/**
 * Starts the agent's process in its own process group. The process inherits no open files of the runtime except its
 * output.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { messageOf } from '../machine/base/errors.ts'
import type { Folder } from '../machine/files/folder.ts'
import { type Output, openOutput } from './output.ts'

/**
 * Everything that is needed to start the agent. `env` is its whole environment except the variable with the time of the
 * start.
 */
export interface RunSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /**
   * A command that runs after the agent's process group had to be killed. The command ends what is outside of that
   * group, such as containers.
   */
  readonly cleanup?: readonly string[]
  /**
   * The log of the manifest into which the output goes; absent if it goes into the runtime's file `.svc/log/agent.log`.
   */
  readonly output?: string
}

type SpawnResult =
  | {
      readonly ok: true
      readonly pid: number
      readonly child: ChildProcess
      readonly output?: string | undefined
      /** The reason why the output of the process is lost; absent if the output is kept. */
      readonly lost?: string | undefined
    }
  | { readonly ok: false; readonly error: string }

export async function spawnAgent(
  folder: Folder,
  { argv, cwd, env, output }: RunSpec,
  started: string,
): Promise<SpawnResult> {
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
    if (pid !== undefined)
      return { ok: true, pid, child: child.on('error', () => {}), output: to.declared, lost: to.lost }
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
