/** Sessions of Codex, from its rollouts and from the locks of their threads. Pure. */
import type { Rollout } from './rollout.ts'
import {
  byNewest,
  type FoundTool,
  groupBy,
  newestVersion,
  rootFinder,
  type SessionState,
  type ToolSession,
  unknownLines,
} from './session.ts'
import { type Spent, sumOf } from './spent.ts'

/** A rollout, and what the machine says about the lock of its thread. */
export interface RolloutFile {
  readonly rollout: Rollout
  readonly hasGaps: boolean
  /** True if the file changed today. */
  readonly isNew: boolean
  /**
   * The process that holds the lock. `unknown` if the machine does not show it or the locks cannot be read. Then the
   * thread counts as held for a short time after `changed`.
   */
  readonly holder: number | 'none' | 'unknown'
  /** When the file was last changed, in Unix seconds. */
  readonly changed: number
}

export function codexSessions(files: readonly RolloutFile[], faults: readonly string[], now: number): FoundTool {
  const known = files.filter(({ rollout }) => rollout.id !== undefined)
  const rootOf = rootFinder(new Map(known.map(({ rollout: { id = '', parent } }) => [id, parent])))
  const parts = groupBy(
    known.filter(({ rollout }) => !rollout.isOfPerson),
    ({ rollout: { id = '' } }) => rootOf(id),
  )
  const sessions = files
    .filter(({ rollout }) => rollout.isOfPerson && isShown(rollout))
    .map((file) => sessionOf(file, parts.get(file.rollout.id ?? '') ?? [], now))
  const newest = known.map(({ rollout }) => rollout).sort(byNewest)
  const others = files.filter(({ rollout, isNew }) => isNew && !isShown(rollout))
  return {
    tool: 'codex',
    version: newestVersion(newest),
    sessions,
    elsewhere: 0,
    faults: [...faults, ...unknownLines(others.map(({ rollout }) => rollout))],
    remarks: [],
    limits: (newest.find((rollout) => rollout.limits.length > 0)?.limits ?? []).filter(
      ({ resets }) => resets === undefined || resets > now,
    ),
  }
}

/** True for a rollout with at least one turn or step. */
const isShown = ({ id, turn, steps }: Rollout): boolean => id !== undefined && (turn !== undefined || steps > 0)

function sessionOf(file: RolloutFile, parts: readonly RolloutFile[], now: number): ToolSession {
  const { rollout, holder } = file
  const { id = '', folder, model, steps, started, turned } = rollout
  const last = Math.max(0, ...[file, ...parts].map((one) => one.rollout.last ?? 0))
  const state = codexState(file, now)
  const asked = openQuestions(rollout, now)[0]?.at
  return {
    ...{ tool: 'codex', id, state, last, steps, folder, model },
    lives: isHeld(file, now) && state !== 'over',
    since: (state === 'waiting' ? asked : state === 'died' ? last : turned) ?? last,
    started: started ?? last,
    ...(typeof holder === 'number' && state !== 'over' && { pid: holder }),
    spent: sumOf(spentIn(file), parts.map(spentIn)),
  }
}

const spentIn = ({ rollout, hasGaps }: RolloutFile): Spent =>
  // A rollout repeats its total, so after a gap only the sum of today may be too low. The total of a fork is no help,
  // since it also counts the thread from which it was forked.
  hasGaps && (rollout.total === undefined || rollout.isFork) ? { ...rollout.spent, hasGaps } : rollout.spent

/** A daemon keeps an open question for as long as it lives, so a question older than this is ignored. */
const askedSeconds = 86_400
const openQuestions = ({ asked }: Rollout, now: number) => asked.filter(({ at }) => now - at < askedSeconds)
/** Without locks a session counts as alive while its file changed within this time. */
const quietSeconds = 120

const isHeld = ({ holder, changed }: RolloutFile, now: number): boolean =>
  holder === 'unknown' ? now - changed < quietSeconds : holder !== 'none'

/**
 * Returns the state of a session. A held lock shows that a process has the thread open, such as the daemon for
 * terminals. It does not show that a person is looking at the thread.
 */
export function codexState(file: RolloutFile, now: number): SessionState {
  const { turn, asked } = file.rollout
  const rested = turn === 'failed' ? 'failed' : 'over'
  if (!isHeld(file, now)) return turn === 'runs' && file.holder === 'none' ? 'died' : rested
  if (turn === 'runs') {
    if (asked.length === 0) return 'running'
    return openQuestions(file.rollout, now).length > 0 ? 'waiting' : 'over'
  }
  return turn === 'failed' ? 'failed' : 'idle'
}
