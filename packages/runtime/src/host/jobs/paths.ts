/** The folders of the host agent and of jobs. They depend on the environment alone. */
import { isAbsolute, join } from 'node:path'
import { unrecorded } from './names.ts'

export type Env = Readonly<Record<string, string | undefined>>

/**
 * The folder of the host agent: the one agent of svc for this user on this machine. Undefined if the environment names
 * neither a folder for state nor a home folder.
 */
export function hostFolder({ XDG_STATE_HOME: state = '', HOME: home = '' }: Env): string | undefined {
  // the XDG specification says that a relative path is ignored
  if (isAbsolute(state)) return join(state, 'svc/host')
  return isAbsolute(home) ? join(home, '.local/state/svc/host') : undefined
}

/** The folder with a folder for each job, in the folder of the host agent. */
export const jobsIn = (host: string): string => join(host, 'state/jobs')

/** The file with a line for each run that was not recorded: the Unix time, the job or `-`, and the reason. */
export const unrecordedFile = (jobs: string): string => join(jobs, unrecorded)
