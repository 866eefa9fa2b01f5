/** Filters that a person typed for a command. */

import { shown } from '@svc/protocol'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import { type CommandCall, RefusedError, rawOption, UsageError } from './request.ts'
import { oneSafeLine } from './show.ts'

/** Finds what a filter selects. If the filter is wrong, the refusal points at its wrong part. */
export const findByFilter = <T>(filter: string, find: (filter: string) => Promise<T>): Promise<T> =>
  find(filter).catch((error: unknown) => {
    throw pointedAt(filter, error)
  })

/**
 * The names of the agents that a filter selects, on which a command is about to act. A term that excludes no agent may
 * be mistyped, so that the filter selects too many; then `--expect` must give the right number. `nothing` is the
 * sentence in refusals which says that nothing was done.
 */
export async function agentsToActOn(
  call: CommandCall,
  workspace: WorkspaceInfo,
  filter: string,
  nothing: string,
): Promise<{ names: string[]; idle: string[] }> {
  const { listAgents } = await import('../../web/queries/agents.ts')
  const expected = expectedIn(call)
  const { rows, idle } = await findByFilter(filter, (q) => listAgents(call.store.db, workspace, call.now(), q))
  if (rows.length === 0) throw new RefusedError(`The filter selects no agent. ${nothing}`)
  const selects = `The filter selects ${rows.length} ${rows.length === 1 ? 'agent' : 'agents'}`
  if (expected !== undefined && rows.length !== expected)
    throw new RefusedError(`${selects}, not ${expected}. ${nothing}`)
  if (expected === undefined && idle.length > 0)
    throw new RefusedError(
      `${nothing} ${selects}.${linesOf(idle)}\nCorrect the filter, or confirm the number: --expect ${rows.length}`,
    )
  return { names: rows.map(({ name }) => name), idle }
}

/** The number of agents that `--expect` gives. */
export function expectedIn(call: CommandCall): number | undefined {
  const expected = rawOption(call, 'expect')
  if (expected === undefined) return undefined
  if (rawOption(call, 'filter') !== undefined && /^\d{1,6}$/.test(expected)) return Number(expected)
  throw new UsageError(`--expect is the number of agents that --filter selects: got ${shown(expected)}.`)
}

/**
 * For each value that a command returned, the terms of its filter that exclude no agent. They are kept apart from the
 * value, so that `--json` does not print them.
 */
const idleTerms = new WeakMap<object, readonly string[]>()

/** Remembers which terms of a filter exclude no agent, for the value that a command returns. */
export function withIdleTerms<T extends object>(value: T, idle: readonly string[]): T {
  idleTerms.set(value, idle)
  return value
}

/** The lines that say which terms exclude no agent. Each begins with a line break. */
export const idleLines = (value: object): string => linesOf(idleTerms.get(value) ?? [])

const linesOf = (idle: readonly string[]): string =>
  idle.map((term) => `\n${oneSafeLine(term)} excludes no agent.`).join('')

/**
 * Makes the refusal of a wrong filter: a sentence, the filter, and a mark below its wrong part. Any other error is
 * returned as it is.
 */
function pointedAt(filter: string, error: unknown): unknown {
  if (!(error instanceof Error && 'place' in error && error.place)) return error
  const { at, length } = error.place as { at: number; length: number }
  // The marks are counted in characters, because the text may have characters of two UTF-16 units.
  const before = [...oneSafeLine(filter.slice(0, at))].length
  const wrong = Math.max(1, [...filter.slice(at, at + length)].length)
  return new RefusedError(
    `${error.message}\n  ${oneSafeLine(filter)}\n  ${' '.repeat(before)}${'^'.repeat(wrong)}`,
    'filter_invalid',
  )
}
