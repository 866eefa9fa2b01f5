/** The report of a tool's sessions, and lines that are damaged, for tests that nothing private leaves the machine. */

import { numbered } from '../../src/host/sessions/numbers.ts'
import type { FoundTool } from '../../src/host/sessions/session.ts'
import { judgedSessions } from '../../src/host/watch/ai-judge.ts'
import { aiPart } from '../../src/host/watch/ai-part.ts'

const dayOf = (at: number): number => Math.floor(at / 86_400)

/** The report about these sessions, as text. */
export const reportOf = (found: FoundTool): string => {
  const now = Math.max(1, ...found.sessions.map(({ last }) => last).filter(Number.isFinite))
  const { sessions } = numbered({ sessions: [] }, found.sessions, now)
  const context = { names: 'number' as const, waitingMinutes: 5, prices: {}, wrongPrices: 0 }
  const shown = { ...context, now, zone: 'UTC', today: dayOf(now) }
  return JSON.stringify(aiPart([found], judgedSessions(sessions, shown), shown))
}

const odd = [null, true, -1, 1e300, 'prompt-mark text', [], {}, [{}], { a: { b: 'answer-mark' } }]

/** Damages a line of JSON, or leaves it as it is (the most frequent case): cuts it, or replaces some of its values. */
export function damageLine(line: string, random: () => number): string {
  const chance = random()
  if (chance < 0.6) return line
  if (chance < 0.7) return line.slice(0, Math.floor(random() * line.length))
  const change = (value: unknown, deep: number): unknown => {
    if (random() < 0.05) return odd[Math.floor(random() * odd.length)]
    if (deep > 6 || typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((inner) => change(inner, deep + 1))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner, deep + 1)]))
  }
  return JSON.stringify(change(JSON.parse(line), 0))
}
