/** The folders of the host agent and of jobs, which depend on the environment alone, and the names of jobs. */
import { isAbsolute, join } from 'node:path'

export type ProcessEnv = Readonly<Record<string, string | undefined>>

/**
 * The folder of the host agent: the one agent of svc for this user on this machine. Undefined if the environment names
 * neither a folder for state nor a home folder.
 */
export function hostFolder({ XDG_STATE_HOME: state = '', HOME: home = '' }: ProcessEnv): string | undefined {
  // the XDG specification says that a relative path is ignored
  if (isAbsolute(state)) return join(state, 'svc/host')
  return isAbsolute(home) ? join(home, '.local/state/svc/host') : undefined
}

/** The folder with a folder for each job, in the folder of the host agent. */
export const jobsIn = (host: string): string => join(host, 'state/jobs')

/** The file with a line for each run that was not recorded: the Unix time, the job or `-`, and the reason. */
export const unrecordedFile = (jobs: string): string => join(jobs, unrecordedFileName)

/** The file in the folder of all jobs that lists runs without a record. No job can have its name. */
const unrecordedFileName = 'unrecorded'

/** True for the name of a job. A name is also the name of a folder, and a part of the names of logs and runs. */
export const isJobName = (word: string): boolean =>
  /^[a-z0-9][a-z0-9._-]{0,62}$/.test(word) && word !== unrecordedFileName

/** The end of a sentence that says which names a job can have. */
export const jobNameRule = `1 to 63 of the characters a-z 0-9 . _ -, the first a letter or digit, and not "${unrecordedFileName}"`
