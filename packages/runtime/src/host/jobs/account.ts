/**
 * Finds the folder of the host agent of this account, the same from every environment. HOME and XDG_STATE_HOME may
 * differ or be missing under cron and sudo. So the folder that is written in the `svc-exec` beside the running program
 * takes precedence.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { isOwner, ownerOf } from '../../machine/files/own.ts'
import { hostFolderIn } from './launcher-file.ts'
import { hostFolder, jobsIn, type ProcessEnv } from './paths.ts'

/** The folder of the host agent; undefined if neither an installation nor the environment names one. */
export const accountHostFolder = (env: ProcessEnv, launcher = launcherBeside()): string | undefined =>
  hostFolderWritten(launcher) ?? hostFolder(ownFolders(env))

/**
 * The folder of all jobs: the one that `SVC_JOBS_DIR` names, otherwise that of the account. Undefined if there is
 * neither.
 */
export function accountJobsFolder(env: ProcessEnv): string | undefined {
  const host = accountHostFolder(env)
  return host === undefined ? replacedJobs(env) : jobsFolderOf(host, env)
}

/** The folder of all jobs: the one that `SVC_JOBS_DIR` names, otherwise the one in the folder of this host agent. */
export const jobsFolderOf = (host: string, env: ProcessEnv): string => replacedJobs(env) ?? jobsIn(host)

const replacedJobs = ({ SVC_JOBS_DIR: jobs }: ProcessEnv): string | undefined => (jobs ? resolve(jobs) : undefined)

/** The folder of the host agent that is written in the file `launcher`; undefined if this user owns no such file. */
export function hostFolderWritten(launcher: string): string | undefined {
  try {
    return isOwner(statSync(launcher).uid) ? hostFolderIn(readFileSync(launcher, 'utf8')) : undefined
  } catch {
    return undefined
  }
}

function launcherBeside(): string {
  try {
    return join(dirname(realpathSync(process.argv[1] ?? '')), 'svc-exec')
  } catch {
    return ''
  }
}

/**
 * The folders that HOME and XDG_STATE_HOME name. If HOME is not set or belongs to somebody else, this user's home
 * folder in the list of users replaces it. An XDG_STATE_HOME that belongs to somebody else is left out.
 */
export function ownFolders({ HOME: home, XDG_STATE_HOME: state }: ProcessEnv): ProcessEnv {
  const own = home !== undefined && isOwner(ownerOf(home))
  return {
    HOME: own ? home : (homeOfAccount() ?? home),
    ...(state !== undefined && isOwner(ownerOf(state)) && { XDG_STATE_HOME: state }),
  }
}

/** The home folder in the list of users, if it is this user's. */
function homeOfAccount(): string | undefined {
  try {
    const { homedir } = userInfo()
    return isOwner(ownerOf(homedir)) ? homedir : undefined
  } catch {
    return undefined // the user has no name, as in a container
  }
}
