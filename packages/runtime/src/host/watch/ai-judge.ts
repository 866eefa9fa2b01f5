/** Judges AI sessions: which of them need a person, and the words for them. Pure. */
import { basename } from 'node:path'
import { foreignLine, levelRank } from '@svc/protocol'
import { clockText } from '../jobs/zone.ts'
import type { NumberedSession } from '../sessions/numbers.ts'
import type { SessionState } from '../sessions/session.ts'
import type { Prices } from '../sessions/spent.ts'

/** The time, the person's choices and the settings by which sessions are judged. */
export interface AiJudgeContext {
  /** The present time in Unix seconds. */
  readonly now: number
  /** The time zone of the machine. */
  readonly zone: string
  /** The number of the present day in this zone. */
  readonly today: number
  readonly names: 'number' | 'folder'
  /** The minutes after which a session that waits is bad; 0 means never. */
  readonly waitingMinutes: number
  readonly prices: Prices
  /** The number of prices that cannot be read. */
  readonly wrongPrices: number
}

/** The seconds for which a session that died or failed keeps its item. */
const badSeconds = 3600

/** A session with its name, its level and a sentence for people. */
export interface JudgedSession {
  readonly session: NumberedSession
  readonly name: string
  /** The time of its last activity in Unix seconds, which is not in the future. */
  readonly last: number
  /** When its state began, in Unix seconds. */
  readonly since: number
  /** Absent if no person needs to look at the session. */
  readonly level?: 'warn' | 'bad'
  readonly detail: string
}

export function judgedSessions(sessions: readonly NumberedSession[], context: AiJudgeContext): JudgedSession[] {
  return sessions
    .map((session) => judge(session, context))
    .sort((a, b) => needRank(b) - needRank(a) || stateOrder(a) - stateOrder(b) || b.last - a.last || byNumber(a, b))
}

const needRank = ({ level }: JudgedSession): number => (level === undefined ? -1 : levelRank[level])
const states: readonly SessionState[] = ['waiting', 'running', 'idle', 'died', 'failed', 'over']
const stateOrder = ({ session }: JudgedSession): number => states.indexOf(session.state)
const byNumber = (a: JudgedSession, b: JudgedSession): number => a.session.number - b.session.number

function judge(session: NumberedSession, context: AiJudgeContext): JudgedSession {
  const { now, zone } = context
  const { state, isPast, lives, lived = 0 } = session
  const last = Math.min(lives ? session.last : Math.max(session.last, lived), now)
  const since = Math.min(lives ? session.since : last, now)
  const isRecent = !isPast && now < last + badSeconds
  const level =
    state === 'waiting'
      ? isLong(since, context)
        ? ('bad' as const)
        : ('warn' as const)
      : isRecent && state === 'died'
        ? ('bad' as const)
        : isRecent && state === 'failed'
          ? ('warn' as const)
          : undefined
  const detail = `${stateWords[state]} ${clockText(since, now, zone)}`
  return { session, name: nameOf(session, context), last, since, ...(level && { level }), detail }
}

const isLong = (since: number, { now, waitingMinutes }: AiJudgeContext): boolean =>
  waitingMinutes > 0 && now - since >= waitingMinutes * 60

/** The states as the beginning of a sentence that ends with a time. */
const stateWords: Readonly<Record<SessionState, string>> = {
  running: 'runs since',
  waiting: 'waits for you since',
  idle: 'idle since',
  died: 'its process is gone in the middle of its work, last sign',
  failed: 'its last word is an error,',
  over: 'ended',
}

const folderChars = 60

function nameOf({ tool, number, folder }: NumberedSession, { names }: Pick<AiJudgeContext, 'names'>): string {
  const own = `${tool} ${number}`
  const last = names === 'folder' && folder !== undefined ? foreignLine(basename(folder), folderChars) : ''
  return last === '' ? own : `${last} (${own})`
}
