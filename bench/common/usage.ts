/** What a process has used so far, from /proc: measured from outside, so that measuring costs it nothing. */
import { readFileSync } from 'node:fs'

/** Kernel ticks a second, as /proc counts CPU. */
const ticks = 100

/** User and system time of a whole process, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticks
}

/** Resident memory now and at its highest, in MB. */
export function memory(pid: number): { now: number; highest: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  return { now: mb('VmRSS'), highest: mb('VmHWM') }
}
