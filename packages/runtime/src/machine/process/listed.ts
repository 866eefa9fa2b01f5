/** Processes in words: how one ended, and those that an agent started. */
import { cut, safeLine } from '@svc/protocol'
import type { ProcessIdentity } from './identity.ts'

/** A process that an agent started. */
export interface AgentProcess extends ProcessIdentity {
  /** The start of the agent to which the process belongs, in Unix seconds with three decimals. */
  readonly started: string
  readonly group: number
  /** The command of the process and its arguments, for people. */
  readonly command: string
}

/** The process that was started first. */
export const oldestProcess = <T extends ProcessIdentity>(all: readonly T[]): T | undefined =>
  [...all].sort((a, b) => a.start.localeCompare(b.start, 'en', { numeric: true }))[0]

/** The number of processes that a sentence names, and the characters that it quotes of each command. */
const maxNamed = 8
const maxQuoted = 80

/** Names processes by pid and command, such as `process 812 (sleep 900) and process 813 (sh)`. */
export function processNames(all: readonly Pick<AgentProcess, 'pid' | 'command'>[]): string {
  const names = all.slice(0, maxNamed).map(({ pid, command }) => {
    const line = safeLine(command)
    return `process ${pid}${line === '' ? '' : ` (${line.length > maxQuoted ? `${cut(line, maxQuoted)}…` : line})`}`
  })
  if (all.length > maxNamed) names.push(`${all.length - maxNamed} more`)
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** Describes how a process ended, as the middle of a sentence, such as `ended with code 1`. */
export function howEnded({ code, signal, error }: { code?: number; signal?: string; error?: string }): string {
  if (error !== undefined) return `could not be started: ${error}`
  if (signal !== undefined) return `was ended by ${signal}`
  return code === undefined ? 'ended, its exit code is not known' : `ended with code ${code}`
}
