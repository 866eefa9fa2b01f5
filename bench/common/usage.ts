/** Reads from /proc how much CPU time and memory a process has used, so that measuring costs the process nothing. */
import { readdirSync, readFileSync } from 'node:fs'

/** The number of kernel ticks per second. A tick is the unit of CPU time in /proc. */
const ticks = 100

/** The CPU time of a whole process in seconds, user and system time together. */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticks
}

/**
 * The CPU time in seconds that the threads of a process have used, without threads that have ended. It is exact to
 * less than a millisecond, so it can be read many times a second.
 */
export function cpuSecondsOfThreads(pid: number): number {
  const folder = `/proc/${pid}/task`
  let nanoseconds = 0
  try {
    for (const thread of readdirSync(folder))
      nanoseconds += Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    // The process or a thread has ended meanwhile.
  }
  return nanoseconds / 1e9
}

/**
 * The CPU time in seconds of a process and its children, including children that have ended. PostgreSQL is measured
 * this way, since each of its connections is a child process.
 */
export function cpuSecondsOfAll(pid: number): number {
  const ended = statOf(pid)
  const running = pidsWithChildren(pid).reduce((sum, one) => sum + cpuSeconds(one), 0)
  return running + (Number(ended[13]) + Number(ended[14])) / ticks
}

/** The CPU time in seconds of all children of this process that have ended, and of the children of these. */
export function cpuSecondsOfChildren(): number {
  const fields = statOf(process.pid)
  return (Number(fields[13]) + Number(fields[14])) / ticks
}

/** The ids of a process and its running children. */
export function pidsWithChildren(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statOf(Number(name))[1] === String(pid))
  return [pid, ...children.map(Number)]
}

/** The fields of /proc/PID/stat that follow the name of the program; empty if the process has ended meanwhile. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    return []
  }
}

/** The resident memory of a process in MB, now and at its peak. */
export function memory(pid: number): { now: number; highest: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  return { now: mb('VmRSS'), highest: mb('VmHWM') }
}
