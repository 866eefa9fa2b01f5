/** Pure functions that count the agents of a rollout for its bar and for the words below it. */
import type { RolloutAgent, RolloutAgentState, RolloutRow } from '@svc/api'
import { memberWords, type Tone, waitWords } from './parts/words.ts'

const ended = ['kept', 'excused', 'rolled_back', 'failed', 'worse', 'withdrawn'] as const
const open = ['trying', 'offered', 'wished', 'untouched'] as const
const order = [...ended, ...open, 'left_out'] as const satisfies RolloutAgentState[]

interface BarPart {
  state: RolloutAgentState | 'open'
  tone: Tone | 'over' | 'open'
  number: number
}

/** The parts of the bar. Agents without an outcome are one empty part at its end. */
export function filled(counts: RolloutRow['counts']): BarPart[] {
  const parts: BarPart[] = ended.map((state) => {
    const { tone } = memberWords[state]
    return { state, tone: tone === 'plain' ? 'over' : tone, number: counts[state] }
  })
  const rest = open.reduce((sum, state) => sum + counts[state], 0)
  return [...parts, { state: 'open' as const, tone: 'open' as const, number: rest }].filter(({ number }) => number > 0)
}

interface CountedWord {
  word: string
  tone: Tone
  number: number
}

/**
 * The agents in words: those with an outcome by their state, the others by what they wait for. Without `agents`, what
 * they wait for is not known, and all are counted by their state.
 */
export function tally(
  counts: RolloutRow['counts'],
  agents: readonly Pick<RolloutAgent, 'state' | 'waits'>[] | undefined,
  time: (at: number) => string,
): CountedWord[] {
  const words = new Map<string, CountedWord>()
  const add = (state: RolloutAgentState, word: string, number: number) => {
    const before = words.get(word)?.number ?? 0
    if (number > 0) words.set(word, { word, tone: memberWords[state].tone, number: before + number })
  }
  for (const state of order) {
    const there = agents?.filter((agent) => agent.state === state)
    if (there) for (const { waits } of there) add(state, waitWords(waits, time) ?? memberWords[state].word, 1)
    else add(state, memberWords[state].word, counts[state])
  }
  return [...words.values()]
}
