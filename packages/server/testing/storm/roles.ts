/** The participants of a storm, and what they act with. */
import type { Applied } from '@svc/protocol'
import type { Line } from '../checker/lines.ts'
import type { Hands } from './hands.ts'

export interface Storm extends Pick<Hands, 'operate' | 'read'> {
  random: () => number
  pick: <T>(from: readonly T[]) => T
  note: (line: Line) => void
  over: () => boolean
  pause: number
  /** The agents that were not deleted. */
  agents: Reporter[]
  /** Adds an agent, which then starts to report. */
  join: (agent: Reporter) => void
  /** Sends a request to any node; undefined when no complete answer arrived. */
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
  /** The number of runs that the agent sends at first. With many, the limit of 2000 runs matters (I8). */
  fill: number
  /** The blueprint version that it runs; null for an agent without a blueprint. */
  version: string | null
  /** The last outcome it reported for that version (2.5). */
  applied?: Applied
  /** The agent's runtime; undefined for a reporter that is not a runtime. */
  runtime?: Runtime | undefined
  /** True if somebody has deleted the agent, which it will notice soon. */
  gone: boolean
}
export interface Runtime {
  version: string
  applied?: Applied
  /** The trial in progress: the new version, and the number of reports until its outcome. */
  trial?: { to: string; left: number } | undefined
  /** The outcome of the last update, until the next report is made; that report says it. */
  news?: Applied['outcome'] | undefined
}
