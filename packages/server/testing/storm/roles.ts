/** Who is in a storm, and what they act with. */
import type { Applied } from '@svc/protocol'
import type { Line } from '../checker/lines.ts'
import type { Hands } from './hands.ts'

export interface Storm extends Pick<Hands, 'operate' | 'read'> {
  random: () => number
  pick: <T>(from: readonly T[]) => T
  note: (line: Line) => void
  over: () => boolean
  pause: number
  /** Those that were not deleted. */
  agents: Reporter[]
  /** One more of them begins to report. */
  join: (agent: Reporter) => void
  /** To any node; undefined when no whole answer came. */
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
  /** The token it has; replaced by whoever rotates it. */
  token: string
  /** Runs that it sends first, so that the newest 2000 are what counts (I8). */
  fill: number
  /** The version of the blueprint that it runs; null for one without. */
  version: string | null
  /** The outcome that it last reported (2.5). */
  applied?: Applied
  /** Undefined for a reporter that is no runtime. */
  runtime?: Runtime | undefined
  /** Somebody deleted it: it notices soon. */
  gone: boolean
}
export interface Runtime {
  version: string
  applied?: Applied
  /** The version on trial, and how many reports are left until its outcome. */
  trial?: { to: string; left: number } | undefined
  /** An outcome that no report has told yet. */
  news?: Applied['outcome'] | undefined
}
