/** The facts about the process before Node changed it, which the launcher `svc-exec` passes to the program. */
import { readFileSync } from 'node:fs'

export interface LauncherState {
  /**
   * True once this program has taken over the command. Until then, the launcher runs the command if this program fails.
   * Setting it to true ends this process if the launcher already runs the command.
   */
  taken: boolean
  /** Hands the command back to the launcher, and ends this process. Absent if no launcher waits. */
  readonly giveBack?: () => never
  /** The process of the launcher. Absent if no launcher waits. */
  readonly shell?: number
  /** The environment of the command, as /proc shows it. Absent if the command gets the environment of this process. */
  readonly environment?: Buffer
  /** Standard input, output and error of the command; undefined for a closed one. Absent if they are this process's. */
  readonly stdio?: readonly (number | undefined)[]
  /** The folder of all jobs, empty if there is none. Absent without the launcher. */
  readonly jobs?: string
  /** The folder of all jobs that the host agent reads. SVC_JOBS_DIR may name another one, which is then `jobs`. */
  readonly account?: string
  /** The signals that the process ignored, as Linux shows them: a mask in hexadecimal. Empty if not known. */
  readonly ignored?: string
  /** The numbers of the files from 3 to 9 that were open. Node would not hand them on. */
  readonly files?: string
  /** The soft limit of the size of core files, in bytes, before the launcher set it to 0 for Node. */
  readonly core?: string
  /** The soft limit of open files. Node raises it to the hard limit. */
  readonly openFiles?: string
}

/**
 * Returns the facts that the launcher has passed on. Without a launcher, only the limit of open files is known, from
 * the parent process.
 */
export function launcherStateHere(): LauncherState {
  const global = globalThis as { svcExec?: LauncherState }
  global.svcExec ??= { taken: false, openFiles: softLimitOf(process.ppid) }
  return global.svcExec
}

/** The standard files of the command. */
export const stdioOf = ({ stdio = [0, 1, 2] }: Pick<LauncherState, 'stdio'>): readonly (number | undefined)[] => stdio

/** True if somebody has killed the launcher, so that nobody gets the exit code of the command. */
export const isLauncherGone = ({ shell }: Pick<LauncherState, 'shell'>): boolean =>
  shell !== undefined && shell !== process.ppid

/** The soft limit of open files of a process. Empty if the system does not tell. */
export function softLimitOf(pid: number | 'self'): string {
  try {
    return /^Max open files +(\w+) /m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? ''
  } catch {
    return ''
  }
}

/** The numbers of the signals in a mask as Linux shows it. */
export function signalsIn(mask: string): number[] {
  if (!/^[0-9a-f]{1,32}$/i.test(mask)) return []
  const bits = BigInt(`0x${mask}`)
  return Array.from({ length: 31 }, (_, at) => at + 1).filter((signal) => bits & (1n << BigInt(signal - 1)))
}
