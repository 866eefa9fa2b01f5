/**
 * The events of a run, line by line, as the clients and the operator saw them: enough to decide I1 to I16 afterwards,
 * without the service. Times are of one clock, in milliseconds; a line is written when the thing is known, not when it began.
 */
export type Line =
  /** A wish for an agent was stored. */
  | { kind: 'press'; at: number; command: string; agent: string }
  /** A report leaves an agent. Every part of it carries its number; its one run has it as its id. */
  | {
      kind: 'send'
      at: number
      report: string
      agent: string
      token: string
      acks: Ack[]
      run: Run
      /** Absent: it says nothing of a runtime. `ends`: it is the first that tells of this outcome of an attempt. */
      runtime?: { version: string; ends?: Outcome } | undefined
    }
  /** The whole answer, so that a cut one is none. */
  | ({ kind: 'answer'; at: number; report: string; status: number; retryAfter: boolean; commands: string[] } & Told)
  | { kind: 'apply'; at: number; agent: string; command: string }
  /** The service confirmed that a token is void, by rotation or deletion. */
  | { kind: 'void'; at: number; agent: string; token: string }
  /**
   * A wish, stored at a moment between `at` and `done`, or perhaps not if that is forever; null withdraws it. For a
   * runtime whose request was not answered, `version` is undefined: whatever was served then.
   */
  | { kind: 'wish'; of: 'blueprint'; at: number; done: number; agent: string; version: string | null }
  | { kind: 'wish'; of: 'runtime'; at: number; done: number; agent: string; version: string | null | undefined }
  /** A release is served from a moment between `at` and `done` on. */
  | { kind: 'serve'; at: number; done: number; version: string }
  /** An agent is deleted. */
  | { kind: 'delete'; at: number; done: number; agent: string; name: string }
  | { kind: 'issue'; at: number; code: string; names: Named }
  /** Calls with a code. */
  | ({ kind: 'preview' } & Call)
  | ({ kind: 'redeem' } & Call)
  /** From just before the database was ended until it was well again. */
  | { kind: 'outage'; at: number; until: number }
  /** Everything that is stored, read from this moment on. */
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
  /** D10. */
  place: number
}
export type Outcome = 'ok' | 'rolled_back' | 'failed'
/** 2.7. */
interface Told {
  desired?: string | undefined
  /** The version of `runtime`, and `runtime_desired`. */
  served?: string | undefined
  runtime?: string | undefined
}
interface Call {
  at: number
  /** How long it took, of a call with which no other one of the same code was under way. */
  took?: number | undefined
  code: string
  status: number
  /** The answer's body as it came. */
  body: string
  names?: Named | undefined
}
/** The facts that a code would install (I16). */
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
  /** For every part of the shown report, the number of the report it came with. */
  shown: string[]
  runs: Run[]
}
export interface Code {
  code: string
  used: boolean
  /** How many of what a redeem makes are there. */
  agents: number
  tokens: number
  /** How many tokens it should have made. */
  bindings: number
}

export type Of<K extends Line['kind']> = Extract<Line, { kind: K }>
export const only = <K extends Line['kind']>(lines: readonly Line[], ...kinds: K[]): Of<K>[] =>
  lines.filter((line): line is Of<K> => (kinds as string[]).includes(line.kind))
export const lastView = (lines: readonly Line[]): Of<'view'> | undefined => only(lines, 'view').at(-1)
/** Agents that somebody deleted, or perhaps has: what was kept of them may be gone. */
export const deletedIn = (lines: readonly Line[]): Set<string> =>
  new Set(only(lines, 'delete').map(({ agent }) => agent))

export function duplicates(all: readonly string[]): string[] {
  const seen = new Set<string>()
  return all.filter((one) => seen.has(one) || !seen.add(one))
}
