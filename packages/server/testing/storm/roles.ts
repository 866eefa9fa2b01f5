/** Types for the participants of a storm, and for what they act with. */
import type { AppliedUpdate } from '@svc/protocol'
import type { Line } from '../checker/lines.ts'
import type { StormAccess } from './access.ts'

export interface Storm extends Pick<StormAccess, 'operate' | 'read'> {
  random: () => number
  pick: <T>(from: readonly T[]) => T
  note: (line: Line) => void
  over: () => boolean
  pause: number
  /** The agents of the storm that nobody has deleted. */
  agents: Reporter[]
  /** Adds an agent to the storm, which then starts to report. */
  join: (agent: Reporter) => void
  /** Sends a request to a random node; undefined when no complete answer arrived. */
  post: (path: string, body: object, headers?: Record<string, string>) => Promise<Reply | undefined>
}
export interface Reply {
  status: number
  headers: Headers
  text: string
  json: unknown
}

export interface Reporter {
  id: string
  name: string
  /** The agent's token; a rotation replaces it. */
  token: string
  /**
   * The number of runs that the agent sends when it starts. With many runs, the limit of 2000 stored runs matters (I8).
   */
  fill: number
  /** The blueprint version that the agent runs; null for an agent without a blueprint. */
  version: string | null
  /** The outcome of the agent's last blueprint update, which its reports repeat (2.5). */
  applied?: AppliedUpdate
  /** The agent's runtime; undefined for a reporter that is not a runtime. */
  runtime?: Runtime | undefined
  /** True if somebody has deleted the agent, so that its machine stops reporting. */
  gone: boolean
}
export interface Runtime {
  version: string
  applied?: AppliedUpdate
  /** The trial in progress: the new runtime version, and the number of reports until the trial ends. */
  trial?: { to: string; left: number } | undefined
  /** The outcome of the last runtime update, until the first report that contains it is sent. */
  news?: AppliedUpdate['outcome'] | undefined
}
