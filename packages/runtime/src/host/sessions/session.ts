/** The sessions of AI tools: conversations of a person with a tool in a terminal, or headless. */
import type { Budget } from './growing.ts'
import type { Spent } from './spent.ts'
import { versionIn } from './values.ts'

/** The tools, in the order in which they are shown, with their names for people. */
export const toolNames = { claude: 'Claude Code', codex: 'Codex', opencode: 'opencode' } as const
export type ToolName = keyof typeof toolNames

/**
 * The state of a session. `died`: its process ended in the middle of its work; `failed`: the last entry of the tool is
 * an error; `over`: it ended.
 */
export type SessionState = 'running' | 'waiting' | 'idle' | 'died' | 'failed' | 'over'

/** A session as the files of its tool and the processes of this machine show it. Times are in Unix seconds. */
export interface ToolSession {
  readonly tool: ToolName
  /** The id that the tool gives it. */
  readonly id: string
  readonly state: SessionState
  /** The time from which it has this state, as far as the tool records it. */
  readonly since: number
  readonly started: number
  /** The time of its last activity in the files of the tool. */
  readonly last: number
  /** True if a process of the tool has the session open, as far as svc can find out. */
  readonly lives: boolean
  readonly pid?: number | undefined
  /** The folder in which it works. Its name leaves the machine only if the person chose that. */
  readonly folder?: string | undefined
  readonly model?: string | undefined
  /** The number of times that the model called a tool, such as a shell or an editor. */
  readonly steps: number
  readonly spent: Spent
}

/** All that was found of one tool. */
export interface FoundTool {
  readonly tool: ToolName
  /** The version of the tool, as its newest files give it. */
  readonly version?: string | undefined
  readonly sessions: readonly ToolSession[]
  /** The number of sessions whose process is in a container, or on another machine with the same files. */
  readonly elsewhere: number
  /** Parts of a sentence about files that cannot be read or understood. Each makes the item of the tool a warning. */
  readonly faults: readonly string[]
  /** True if svc cannot read the files here, so that nothing is known about the sessions. A remark says why. */
  readonly isUnread?: boolean
  /** Parts of a sentence about anything else that a person should know. */
  readonly remarks: readonly string[]
  /** The limits of the person's subscription. `used` is a share, and `resets` is a time in Unix seconds. */
  readonly limits?: readonly { readonly name: string; readonly used: number; readonly resets?: number }[]
}

/** Merges what was found of a tool in two of its folders. */
export const mergeFound = (a: FoundTool, b: FoundTool): FoundTool => ({
  tool: a.tool,
  version: a.version ?? b.version,
  // Copies of a folder contain the same sessions.
  sessions: [...a.sessions, ...b.sessions.filter(({ id }) => !a.sessions.some((one) => one.id === id))],
  elsewhere: a.elsewhere + b.elsewhere,
  faults: [...new Set([...a.faults, ...b.faults])],
  remarks: [...new Set([...a.remarks, ...b.remarks])],
  ...(a.isUnread && b.isUnread && { isUnread: true }),
  limits: [...(a.limits ?? []), ...(b.limits ?? [])],
})

/** The input of all readers at one look. */
export interface Look {
  /** The present time in Unix milliseconds. */
  readonly now: number
  readonly budget: Budget
  /** The number of the day, in the machine's zone, to which the time `at` in Unix seconds belongs. */
  readonly dayOf: (at: number) => number
}

/** Looks at the files of a tool. Undefined if there is nothing of it on this machine. */
export type ToolReader = (look: Look) => FoundTool | undefined

/** The seconds for which svc remembers a session after its last activity. */
export const keptSeconds = 7 * 86_400

/** Quotes a word of a tool for a sentence. Any other value, which a person may have written, is `something unknown`. */
export const quotedWord = (word: unknown): string =>
  typeof word === 'string' && /^[a-z][\w./-]{0,39}$/i.test(word) ? `"${word}"` : 'something unknown'

/** The facts that svc reads from the files of every tool. */
interface FileFacts {
  readonly version?: string
  /** The time of its last line, in Unix seconds. */
  readonly last?: number
  /** The type of the first line whose type svc does not know. */
  readonly unknown?: string
}

/** Adds the type of an unknown line to the facts, unless they have the type of an earlier one. */
export const withUnknown = <T extends FileFacts>(before: T, type: string): T => ({
  ...before,
  unknown: before.unknown ?? type,
})

/**
 * Returns at most one fault, as a part of a sentence, about files that gave no session. A newer version of the tool may
 * have written lines that svc does not understand.
 */
export const unknownLines = (withoutSession: readonly FileFacts[]): string[] =>
  withoutSession
    .flatMap(({ unknown }) => (unknown === undefined ? [] : [`lines of the type ${unknown} are not understood`]))
    .slice(0, 1)

/** The version of the tool, from the newest of these files that contains one. */
export const newestVersion = (files: readonly FileFacts[]): string | undefined =>
  versionIn([...files].sort(byNewest).find(({ version }) => version !== undefined)?.version)

export const byNewest = (a: FileFacts, b: FileFacts): number => (b.last ?? 0) - (a.last ?? 0)

/** Groups files or notes by a key, such as their session. Node 20 has no `Map.groupBy`. */
export function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(keyOf(one))
    if (group) group.push(one)
    else groups.set(keyOf(one), [one])
  }
  return groups
}

/**
 * Returns the function that finds the first session of a chain in which each session started the next. `parents` maps
 * each session to the one that started it. A session in a circle counts as the first of its own chain.
 */
export function rootFinder(parents: ReadonlyMap<string, string | undefined>): (id: string) => string {
  const roots = new Map<string, string>()
  return (id) => {
    const chain: string[] = []
    let next: string | undefined = id
    while (next !== undefined && !roots.has(next)) {
      roots.set(next, next)
      chain.push(next)
      next = parents.get(next)
    }
    // If the search stopped at a session of this chain, the chain is a circle from that session on.
    const circle = next === undefined ? -1 : chain.indexOf(next)
    const root = next === undefined ? chain.at(-1) : roots.get(next)
    for (const one of circle < 0 ? chain : chain.slice(0, circle)) roots.set(one, root ?? one)
    return roots.get(id) ?? id
  }
}
