import type { RolloutAgent, RolloutAgentState, RolloutRow } from '@svc/api'
import { Tone as Dot, timeOfDay } from '../ui/index.ts'
import { rolloutAgentWords, type UpdateTone, waitWords } from './parts/looks.ts'

interface RolloutBarProps {
  counts: Readonly<Record<RolloutAgentState, number>>
  /** The agents of the rollout. With them, the words say what unfinished agents wait for. */
  agents?: readonly RolloutAgent[]
}

/**
 * The number of agents of a rollout in each state, as a bar and in words. The bar shows agents with an outcome first,
 * and then agents that are updating. Agents that are left out appear only in the words.
 */
export const RolloutBar = ({ counts }: Pick<RolloutBarProps, 'counts'>) => (
  <div>
    <div className="up-bar" aria-hidden>
      {rolloutBarParts(counts).map(({ state, tone, number }) => (
        <span key={state} data-tone={tone} style={{ flexGrow: number }} />
      ))}
    </div>
    <RolloutCounts counts={counts} />
  </div>
)

/** The number of agents of a rollout in each state, in words. */
export const RolloutCounts = ({ counts, agents }: RolloutBarProps) => (
  <ul className="svc-list up-counts">
    {countsByWord(counts, agents, timeOfDay).map(({ word, tone, number }) => (
      <li key={word}>
        <Dot tone={dotTone(tone)}>{`${number.toLocaleString('en-US')} ${word}`}</Dot>
      </li>
    ))}
  </ul>
)

const dotTone = (tone: UpdateTone) => (tone === 'waiting' ? 'told' : tone)

const endedStates = ['kept', 'excused', 'rolled_back', 'failed', 'worse', 'withdrawn'] as const
const underWay = ['trying', 'offered', 'wished'] as const
const order = [...endedStates, ...underWay, 'untouched', 'left_out'] as const satisfies RolloutAgentState[]

interface BarPart {
  state: RolloutAgentState | 'under_way'
  tone: UpdateTone | 'over' | 'open'
  number: number
}

/** The parts of the bar that have agents. The last part, for agents of later waves, is pale. */
export function rolloutBarParts(counts: RolloutRow['counts']): BarPart[] {
  const parts: BarPart[] = endedStates.map((state) => {
    const { tone } = rolloutAgentWords[state]
    return { state, tone: tone === 'plain' ? 'over' : tone, number: counts[state] }
  })
  const onTheirWay = underWay.reduce((sum, state) => sum + counts[state], 0)
  return [
    ...parts,
    { state: 'under_way' as const, tone: 'waiting' as const, number: onTheirWay },
    { state: 'untouched' as const, tone: 'open' as const, number: counts.untouched },
  ].filter(({ number }) => number > 0)
}

interface CountedWord {
  word: string
  tone: UpdateTone
  number: number
}

/**
 * Counts the agents by the word for them. An agent that is updating has the word for what it waits for, and any other
 * agent the word for its state. Without `agents`, all are counted by state.
 */
export function countsByWord(
  counts: RolloutRow['counts'],
  agents: readonly Pick<RolloutAgent, 'state' | 'waits'>[] | undefined,
  time: (at: number) => string,
): CountedWord[] {
  const words = new Map<string, CountedWord>()
  const add = (state: RolloutAgentState, word: string, number: number) => {
    const before = words.get(word)?.number ?? 0
    if (number > 0) words.set(word, { word, tone: rolloutAgentWords[state].tone, number: before + number })
  }
  for (const state of order) {
    const there = agents?.filter((agent) => agent.state === state)
    // Agents of later waves are counted under one word. The lists of the waves say what each of them waits for.
    if (there && state !== 'untouched')
      for (const { waits } of there) add(state, waitWords(waits, time) ?? rolloutAgentWords[state].word, 1)
    else add(state, rolloutAgentWords[state].word, there?.length ?? counts[state])
  }
  return [...words.values()]
}
