/**
 * The lines of a run: what happened, as clients and the operator saw it. They suffice to check the invariants I1 to I16
 * afterwards without the service. Times are milliseconds of one clock. A line is written when its fact is known, not
 * when it started.
 */
export type Line =
  /** A command for an agent was stored. */
  | { kind: 'press'; at: number; command: string; agent: string }
  /** An agent sends a report. Every part of it contains its number, and its only run has it as id. */
  | {
      kind: 'send'
      at: number
      report: string
      agent: string
      token: string
      acks: Ack[]
      run: Run
      /**
       * Absent when the report says nothing about a runtime. `ends` is the outcome of an attempt, set only in the first
       * report that carries it.
       */
      runtime?: { version: string; ends?: Outcome } | undefined
    }
  /** A complete answer arrived; an answer that was cut off has no line. */
  | ({ kind: 'answer'; at: number; report: string; status: number; retryAfter: boolean; commands: string[] } & Told)
  | { kind: 'apply'; at: number; agent: string; command: string }
  /** The service confirmed that a token is void, by rotation or deletion. */
  | { kind: 'void'; at: number; agent: string; token: string }
  /**
   * A wish, which was stored at some time between `at` and `done`, or perhaps never if `done` is infinite. The version
   * null withdraws a wish. The version of a runtime is undefined if the request got no answer: it is the one that was
   * served then.
   */
  | { kind: 'wish'; of: 'blueprint'; at: number; done: number; agent: string; version: string | null }
  | { kind: 'wish'; of: 'runtime'; at: number; done: number; agent: string; version: string | null | undefined }
  /** A release. It is served from some time between `at` and `done` on. */
  | { kind: 'serve'; at: number; done: number; version: string }
  /** An agent was deleted. */
  | { kind: 'delete'; at: number; done: number; agent: string; name: string }
  | { kind: 'issue'; at: number; code: string; names: Named }
  /** An install call with a code, and its answer. */
  | ({ kind: 'preview' } & Call)
  | ({ kind: 'redeem' } & Call)
  /** The database was down: from just before it was stopped until it worked again. */
  | { kind: 'outage'; at: number; until: number }
  /** Everything that is stored; it was read at this time or later. */
  | {
      kind: 'view'
      at: number
      commands: Command[]
      agents: Agent[]
      codes: Code[]
      bots: { workspace: string; id: string }[]
    }

export interface Ack {
  id: string
  ok: boolean
}
export interface Run {
  id: string
  /** The number by which the run is ordered (D10). */
  place: number
}
export type Outcome = 'ok' | 'rolled_back' | 'failed'
/** The versions in an answer (2.7). */
interface Told {
  desired?: string | undefined
  /**
   * `served` is the version in the answer's field `runtime`, and `runtime` the version in its field `runtime_desired`.
   */
  served?: string | undefined
  runtime?: string | undefined
}
interface Call {
  at: number
  /** The milliseconds that the call took; only present when no other call with the same code was in progress. */
  took?: number | undefined
  code: string
  status: number
  /** The answer's body as it arrived. */
  body: string
  names?: Named | undefined
}
/** The version that a code would install, and the agent's name (I16). */
export interface Named {
  blueprint: string
  version: string
  agentName: string
  sha256?: string | undefined
}
export interface Command {
  id: string
  agent: string
  state: string
  createdAt: number
  deliveredAt: number | null
}
export interface Agent {
  id: string
  workspace: string
  name: string
  /** The numbers of the reports from which the parts of the shown report come, one for each part. */
  shown: string[]
  runs: Run[]
}
export interface Code {
  code: string
  used: boolean
  /** The numbers of objects that exist because a code was redeemed, by kind. */
  agents: number
  tokens: number
  /** The number of tokens that redeeming the code should have made. */
  bindings: number
}

export type Of<K extends Line['kind']> = Extract<Line, { kind: K }>
export const only = <K extends Line['kind']>(lines: readonly Line[], ...kinds: K[]): Of<K>[] =>
  lines.filter((line): line is Of<K> => (kinds as string[]).includes(line.kind))
export const lastView = (lines: readonly Line[]): Of<'view'> | undefined => only(lines, 'view').at(-1)
/** Ids of agents that were deleted, or perhaps were; their data may be gone. */
export const deletedIn = (lines: readonly Line[]): Set<string> =>
  new Set(only(lines, 'delete').map(({ agent }) => agent))

export function duplicates(all: readonly string[]): string[] {
  const seen = new Set<string>()
  return all.filter((one) => seen.has(one) || !seen.add(one))
}
