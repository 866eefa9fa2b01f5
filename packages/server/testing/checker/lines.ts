/**
 * The lines of a test run record what clients and the operator saw. They suffice to check the invariants I1 to I16
 * afterwards without the service. Times are milliseconds of one clock. A line is written when its fact is known, not
 * when the event began.
 */
export type Line =
  /** The service confirmed that it stored a command for an agent. */
  | { kind: 'press'; at: number; command: string; agent: string }
  /**
   * An agent sends a report with the number `report`. Every part of the report contains that number, and the only run
   * in it has the number as its id.
   */
  | {
      kind: 'send'
      at: number
      report: string
      agent: string
      token: string
      acks: Ack[]
      run: Run
      /**
       * Absent when the report says nothing about a runtime. `ends` is the outcome of an update attempt; only the first
       * report that carries this outcome has it.
       */
      runtime?: { version: string; ends?: Outcome } | undefined
    }
  /** A complete answer to a report arrived at the agent. An answer that was cut off has no line. */
  | ({
      kind: 'answer'
      at: number
      report: string
      status: number
      retryAfter: boolean
      commands: string[]
    } & AnsweredVersions)
  | { kind: 'apply'; at: number; agent: string; command: string }
  /** The service confirmed that a token is void, by rotation or deletion. */
  | { kind: 'void'; at: number; agent: string; token: string }
  /**
   * An admin's wish for a version; the version null withdraws it. The service stored the change at some time between
   * `at` and `done`, or perhaps never if `done` is infinite. A runtime version is undefined if the request got no
   * answer: it was the release that the service served then.
   */
  | { kind: 'wish'; of: 'blueprint'; at: number; done: number; agent: string; version: string | null }
  | { kind: 'wish'; of: 'runtime'; at: number; done: number; agent: string; version: string | null | undefined }
  /** A release was added. The service serves it from some time between `at` and `done` on. */
  | { kind: 'serve'; at: number; done: number; version: string }
  /** An agent was deleted. */
  | { kind: 'delete'; at: number; done: number; agent: string; name: string }
  | { kind: 'issue'; at: number; code: string; names: NamedInstall }
  /** Somebody called the service with an install code and got an answer. */
  | ({ kind: 'preview' } & Call)
  | ({ kind: 'redeem' } & Call)
  /** The database was down: from just before it was stopped until it worked again. */
  | { kind: 'outage'; at: number; until: number }
  /** A view of everything in the store, which was read at the time `at` or later. */
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
  /** The time in Unix milliseconds by which runs are sorted (D10). */
  place: number
}
export type Outcome = 'ok' | 'rolled_back' | 'failed'
/** The versions in an answer to a report (2.7). */
interface AnsweredVersions {
  desired?: string | undefined
  /**
   * `served` is the version in the answer's field `runtime`, and `runtime` the version in its field `runtime_desired`.
   */
  served?: string | undefined
  runtime?: string | undefined
}
interface Call {
  at: number
  /** The milliseconds that the call took; only set when no other call with the same code was in progress. */
  took?: number | undefined
  code: string
  status: number
  /** The body of the answer as it arrived. */
  body: string
  names?: NamedInstall | undefined
}
/** The blueprint version that a code would install, and the name that the agent would get (I16). */
export interface NamedInstall {
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
  /** For each part of the report that the service shows, the number of the report that this part came from. */
  shown: string[]
  runs: Run[]
}
export interface Code {
  code: string
  used: boolean
  /** The number of agents and tokens that were made when the code was redeemed. */
  agents: number
  tokens: number
  /** The number of bindings of the agent: redeeming the code should have made one token for each of them. */
  bindings: number
}

export type Of<K extends Line['kind']> = Extract<Line, { kind: K }>
export const linesOfKind = <K extends Line['kind']>(lines: readonly Line[], ...kinds: K[]): Of<K>[] =>
  lines.filter((line): line is Of<K> => (kinds as string[]).includes(line.kind))
export const lastView = (lines: readonly Line[]): Of<'view'> | undefined => linesOfKind(lines, 'view').at(-1)
/** The ids of agents that somebody tried to delete, and whose data may therefore be gone. */
export const deletedIn = (lines: readonly Line[]): Set<string> =>
  new Set(linesOfKind(lines, 'delete').map(({ agent }) => agent))

export function duplicates(all: readonly string[]): string[] {
  const seen = new Set<string>()
  return all.filter((one) => seen.has(one) || !seen.add(one))
}
