/**
 * The lines of a run: what happened as the clients and the operator saw it, enough to check I1 to I16 afterwards
 * without the service. Times are milliseconds of one clock. A line is written when its fact is known, not when it
 * started.
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
   * A wish, stored at a time between `at` and `done`; with an infinite `done` perhaps never. Null withdraws it. For a
   * runtime request without an answer `version` is undefined, meaning whatever was served then.
   */
  | { kind: 'wish'; of: 'blueprint'; at: number; done: number; agent: string; version: string | null }
  | { kind: 'wish'; of: 'runtime'; at: number; done: number; agent: string; version: string | null | undefined }
  /** A release that is served from a time between `at` and `done` on. */
  | { kind: 'serve'; at: number; done: number; version: string }
  /** An agent was deleted. */
  | { kind: 'delete'; at: number; done: number; agent: string; name: string }
  | { kind: 'issue'; at: number; code: string; names: Named }
  /** Calls with a code. */
  | ({ kind: 'preview' } & Call)
  | ({ kind: 'redeem' } & Call)
  /** The time from just before the database was stopped until it worked again. */
  | { kind: 'outage'; at: number; until: number }
  /** Everything that is stored, read from this time on. */
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
  /** The place of the run (D10). */
  place: number
}
export type Outcome = 'ok' | 'rolled_back' | 'failed'
/** The versions in an answer (2.7). */
interface Told {
  desired?: string | undefined
  /** The version in `runtime`, and `runtime_desired`. */
  served?: string | undefined
  runtime?: string | undefined
}
interface Call {
  at: number
  /** The duration of a call; only present when no other call with the same code was in progress. */
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
  /** For each part of the shown report, the number of the report that brought it. */
  shown: string[]
  runs: Run[]
}
export interface Code {
  code: string
  used: boolean
  /** How many of the things that a redemption makes exist. */
  agents: number
  tokens: number
  /** The number of tokens that it should have made. */
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
