/** Measures the processor time of tests, as the system counts it, in hundredths of a second. Works on Linux only. */
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Each test file appends a line `SECONDS FILE` to this file. */
const fileTimes = join(import.meta.dirname, '../.cache/test-cpu.txt')

/** The processor times of a process in seconds: its own, and those of ended processes that it has waited for. */
export interface CpuTime {
  readonly own: number
  readonly children: number
}

const none: CpuTime = { own: 0, children: 0 }

/** The processor time of this process; zero where the system does not tell it. */
export function cpuTime(): CpuTime {
  try {
    return cpuTimeOf(readFileSync('/proc/self/stat', 'latin1'))
  } catch {
    return none
  }
}

/** Reads the times from a line of `/proc/PID/stat`. The name of the program, in brackets, may hold anything. */
export function cpuTimeOf(stat: string): CpuTime {
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number)
  return { own: (utime + stime) / 100, children: (cutime + cstime) / 100 }
}

/**
 * Returns a command that runs another one, and waits for the processes that its children leave behind, such as agents
 * in the background. Otherwise the processor time of these would be counted nowhere.
 */
export const withReaper = (command: readonly string[]): string[] => [
  'python3',
  join(import.meta.dirname, 'reaper.py'),
  ...command,
]

/** The seconds that all processes of this control group have used; undefined where the system does not tell it. */
export function groupSeconds(): number | undefined {
  for (const [file, unit] of [
    ['/sys/fs/cgroup/cpu.stat', 1e6],
    ['/sys/fs/cgroup/cpuacct/cpuacct.usage', 1e9],
  ] as const) {
    try {
      const text = readFileSync(file, 'utf8')
      return Number(/^(?:usage_usec )?(\d+)/.exec(text)?.[1]) / unit
    } catch {
      // The file belongs to the other version of control groups.
    }
  }
  return undefined
}

export const forgetFileTimes = (): void => rmSync(fileTimes, { force: true })

export function noteFileTime(file: string, seconds: number): void {
  mkdirSync(dirname(fileTimes), { recursive: true })
  appendFileSync(fileTimes, `${seconds.toFixed(2)} ${file}\n`)
}

/** The processor seconds of each test file that was noted, the most expensive first. */
export function fileSeconds(): { file: string; seconds: number }[] {
  const sums = new Map<string, number>()
  for (const line of readLines()) {
    const [seconds = '', ...file] = line.split(' ')
    sums.set(file.join(' '), (sums.get(file.join(' ')) ?? 0) + Number(seconds))
  }
  return [...sums].map(([file, seconds]) => ({ file, seconds })).sort((a, b) => b.seconds - a.seconds)
}

function readLines(): string[] {
  try {
    return readFileSync(fileTimes, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}
