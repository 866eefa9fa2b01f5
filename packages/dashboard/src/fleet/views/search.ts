/** Pure functions that read the parameters of the list from the page's address, and make the query for the service. */

import type { Fleet, FleetSort, ProblemCounts } from '@svc/api'
import { type Chip, filterOfOld, groupings, joinFilters, pressChip } from '@svc/api/filter'
import { trimInvisible } from '@svc/protocol'
import type { FleetQuery } from '../../data/api.ts'
import { readWord } from '../../data/search.ts'
import { type FleetSearch, sortOf } from './state.ts'

/** The chips above the list, each with its words and the count that it shows. */
export const stateFilters: readonly { chip: Chip | undefined; words: string; count: keyof Fleet['counts'] }[] = [
  { chip: undefined, words: 'All', count: 'all' },
  { chip: 'bad', words: 'Bad', count: 'bad' },
  { chip: 'warn', words: 'Warning', count: 'warn' },
  { chip: 'info', words: 'Info', count: 'info' },
  { chip: 'ok', words: 'OK', count: 'ok' },
  { chip: 'silent', words: 'Offline', count: 'silent' },
  { chip: 'stopped', words: 'Stopped', count: 'stopped' },
  { chip: 'never', words: 'Never reported', count: 'never' },
]

const sorts = ['name', 'level', 'seen', 'cost_today', 'cost_30', 'version'] as const satisfies FleetSort[]

type Parameters = Readonly<Record<string, unknown>>
const textOf = (v: unknown): string | undefined => (typeof v === 'string' ? v : undefined)
const booleanOf = (v: unknown): boolean | undefined => (typeof v === 'boolean' ? v : undefined)

/** Reads the parameters of the page's address. Those of earlier versions become terms of the filter. */
export function readFleetSearch(search: Parameters): FleetSearch {
  const old = filterOfOld({
    search: textOf(search.search),
    level: textOf(search.show) ?? textOf(search.level),
    silent: booleanOf(search.silent),
    stopped: booleanOf(search.stopped),
  })
  const q = joinFilters(trimInvisible(textOf(search.q) ?? ''), old)
  const sort = readWord(sorts, search.sort)
  const group = readWord(['none', ...groupings], search.group)
  const as = readWord(['list', 'map'], search.as)
  return {
    ...(q !== '' && { q }),
    ...(sort && { sort }),
    ...(search.reverse === true && { reverse: true }),
    ...(group && { group }),
    ...(as && { as }),
  }
}

/** True if the page's address has parameters of earlier versions. The page replaces such an address. */
export const isOldAddress = (search: Parameters): boolean =>
  ['search', 'show', 'level', 'silent', 'stopped'].some((name) => name in search)

/** The query for the list. `q` must be a valid filter, because the service refuses others. */
export const fleetQueryOf = (search: FleetSearch, q: string): FleetQuery => ({ q, ...sortOf(search) })

/** The number of agents in the list, and in the workspace if the list leaves some out. */
export function agentCountText({ total, of }: Pick<Fleet, 'total' | 'of'>): string {
  if (total !== of) return `${total.toLocaleString('en-US')} of ${of.toLocaleString('en-US')}`
  return `${of.toLocaleString('en-US')} ${of === 1 ? 'agent' : 'agents'}`
}

/**
 * A problem of a workspace, and the filter `q` that selects its agents. If `q` is undefined, the page of rollouts shows
 * the problem.
 */
export interface WorkspaceProblem {
  words: string
  q: string | undefined
  /** The level that gives the words their colour, for problems that need somebody at once. */
  level?: 'bad' | 'warn'
  /** True if one of the chips above the list counts the same agents. */
  hasChip: boolean
}

/** The problems of a workspace, most urgent first; empty if all is well. */
export function problemsOf(counts: ProblemCounts): WorkspaceProblem[] {
  type Row = readonly [n: number, q: string | undefined, one: string, many?: string, level?: 'bad' | 'warn']
  const all: Row[] = [
    [counts.bad, 'level:bad', 'bad', 'bad', 'bad'],
    [counts.silent, 'is:offline', 'offline'],
    [counts.warn, 'level:warn', 'warning', 'warnings', 'warn'],
    [counts.late, 'is:late', 'old status', 'old statuses'],
    [counts.halted, undefined, 'rollout halted', 'rollouts halted'],
    [counts.rolledBack, 'update:rolled_back', 'update rolled back', 'updates rolled back'],
    [counts.failed, 'update:failed', 'update failed', 'updates failed'],
    [counts.held, 'update:held', 'update on hold', 'updates on hold'],
    [counts.stopped, 'is:stopped', 'stopped'],
    [counts.never, 'is:never', 'never reported'],
    [counts.noLevel, 'level:none -is:never,stopped', 'without a level'],
  ]
  return all
    .filter(([n]) => n > 0)
    .map(([n, q, one, many = one, level]) => ({
      words: `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`,
      q,
      hasChip: stateFilters.some(({ chip }) => chip !== undefined && q === pressChip({ text: '', terms: [] }, chip)),
      ...(level && { level }),
    }))
}

/**
 * The warning in the title of the browser tab: the number of agents at level Bad or, if there are none, the number of
 * offline agents. Other problems are not urgent enough for the title.
 */
export const urgentText = ({ bad, silent }: ProblemCounts): string | undefined =>
  bad > 0 ? `${bad} bad` : silent > 0 ? `${silent} offline` : undefined

/**
 * The earliest time, in Unix milliseconds, at which one of these agents goes offline if it sends no report; undefined
 * if there is no such time.
 */
export function nextOfflineAt(fleet: Pick<Fleet, 'now' | 'rows'>): number | undefined {
  const times = fleet.rows.flatMap(({ silentAt }) => (silentAt !== null && silentAt > fleet.now ? [silentAt] : []))
  return times.length === 0 ? undefined : Math.min(...times)
}

/**
 * Returns the offsets of the windows that contain the rows `first` to `last`. A window is a part of the list, `size`
 * rows long, that is loaded with one request.
 */
export function windowOffsetsOf(first: number, last: number, size: number): number[] {
  const from = Math.floor(Math.max(0, first) / size)
  const to = Math.floor(Math.max(0, last) / size)
  return Array.from({ length: to - from + 1 }, (_, i) => (from + i) * size)
}
