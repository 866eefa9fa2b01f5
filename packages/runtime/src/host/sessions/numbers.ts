/**
 * The numbers of sessions, by which people and alerts know them, and what svc remembers about each: the note
 * `state/numbers.json`. A number is kept for a week after the last activity of its session.
 */
import { join } from 'node:path'
import { integer, list, object } from '@svc/protocol/fields'
import { createFolder, writeLightly } from '../../machine/files/durable.ts'
import { anyText, type NoteValue, withDefaults } from '../../machine/files/note.ts'
import { readJsonFile } from '../../machine/files/read.ts'
import { keptSeconds, type ToolName, type ToolSession } from './session.ts'

const numbers = withDefaults(
  object({
    /** The time of the first look after sessions were switched on. Sessions that ended before cause no alert. */
    first: integer(0),
    sessions: list(
      object(
        {
          tool: anyText,
          id: anyText,
          number: integer(1),
          /** The time of the last activity of the session. */
          last: integer(0),
          /** When svc last saw the session alive. */
          lived: integer(0),
        },
        ...(['tool', 'id', 'number', 'last'] as const),
      ),
      5000,
    ),
  }),
  { sessions: [] },
)
/** The content of the note. */
export type SessionNumbers = NoteValue<typeof numbers>
type RememberedSession = SessionNumbers['sessions'][number]

/** A session with its number, and what svc remembers about it. */
export interface NumberedSession extends ToolSession {
  readonly number: number
  /** When svc last saw the session alive. */
  readonly lived?: number | undefined
  /** True if it ended before the first look, so that it causes no alert. */
  readonly isPast: boolean
}

/** Times are noted in whole minutes, so that the note does not change at each look. */
const step = 60
const wholeMinutes = (at: number): number => Math.floor(at / step) * step

/** Gives each session its number, at `now` in Unix seconds. Pure. */
export function numbered(
  before: SessionNumbers,
  sessions: readonly ToolSession[],
  now: number,
): { readonly numbers: SessionNumbers; readonly sessions: readonly NumberedSession[] } {
  // After the clock was set back, a noted time may lie ahead. It then counts as the present time.
  const first = Math.min(before.first ?? now, now)
  const known = new Map(before.sessions.map((one) => [keyOf(one), one]))
  const shown = new Set(sessions.map(keyOf))
  const kept = before.sessions.filter((one) => shown.has(keyOf(one)) || one.last > now - keptSeconds)
  const taken = takenIn(kept)
  const named = inOrder(sessions).map((session): NumberedSession => {
    const one = known.get(keyOf(session))
    const number = one?.number ?? lowestFree(taken, session.tool)
    const lived = session.lives ? Math.max(first, wholeMinutes(now)) : one?.lived && Math.min(one.lived, now)
    const last = Math.min(Math.max(session.last, lived ?? 0), now)
    // A session that ended in the second of the first look counts as past, unless svc saw it alive then.
    const wasSeen = lived !== undefined && lived >= first
    return { ...session, number, lived, isPast: !session.lives && !wasSeen && last <= first }
  })
  const remembered = new Map<string, RememberedSession>(kept.map((one) => [keyOf(one), one]))
  for (const { tool, id, number, last, lived } of named)
    remembered.set(keyOf({ tool, id }), {
      ...{ tool, id, number, last: wholeMinutes(Math.min(Math.max(last, lived ?? 0), now)) },
      ...(lived !== undefined && { lived }),
    })
  const newest = [...remembered.values()].sort((a, b) => b.last - a.last).slice(0, maxRemembered)
  return { numbers: { first, sessions: newest }, sessions: named }
}

/** The maximum number of sessions in the note. With more, the note may become too large for `readNumbers`. */
const maxRemembered = 4000

const keyOf = ({ tool, id }: { readonly tool: string; readonly id: string }): string => `${tool}:${id}`

/**
 * Sorts sessions in the order in which they get numbers: those with a running process by their starts, then the others,
 * beginning with the one that changed last.
 */
const inOrder = (sessions: readonly ToolSession[]): ToolSession[] =>
  [...sessions].sort((a, b) => Number(b.lives) - Number(a.lives) || (a.lives ? a.started - b.started : b.last - a.last))

function takenIn(kept: readonly RememberedSession[]): Map<string, Set<number>> {
  const taken = new Map<string, Set<number>>()
  for (const { tool, number } of kept) taken.set(tool, (taken.get(tool) ?? new Set()).add(number))
  return taken
}

function lowestFree(taken: Map<string, Set<number>>, tool: ToolName): number {
  const numbersOfTool = taken.get(tool) ?? new Set()
  taken.set(tool, numbersOfTool)
  let number = 1
  while (numbersOfTool.has(number)) number++
  numbersOfTool.add(number)
  return number
}

const fileIn = (state: string): string => join(state, 'numbers.json')

/** Reads the note of the host agent whose state folder is `state`. A missing or damaged note counts as empty. */
export const readNumbers = (state: string): SessionNumbers =>
  readJsonFile(fileIn(state), 1024 * 1024, (value) => numbers(value) as SessionNumbers | undefined) ?? { sessions: [] }

/** Writes the note of the host agent whose state folder is `state`. */
export function writeNumbers(state: string, value: SessionNumbers): void {
  createFolder(state)
  writeLightly(fileIn(state), `${JSON.stringify(value)}\n`, 0o600)
}
