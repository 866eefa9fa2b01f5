import type { RolloutAgent, RolloutAgentState, RolloutRow } from '@svc/api'
import { Tone as Dot, timeOfDay } from '../ui/index.ts'
import { rolloutAgentWords, type UpdateTone, waitWords } from './parts/looks.ts'

interface RolloutBarProps {
  counts: Readonly<Record<RolloutAgentState, number>>
  /** The agents of the rollout, if they are known. The words then say what they wait for. */
  agents?: readonly RolloutAgent[]
}

/**
 * The number of agents of a rollout in each state, as a bar and in words. The bar fills with agents that have an
 * outcome, then those that are on their way. Agents that are left out are only in the words.
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

/** The parts of the bar. Agents that were not reached are an empty part at its end. */
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
 * Counts the agents by words: those that the update has reached and that have no outcome yet by what they wait for, all
 * others by their state. Without `agents`, what they wait for is not known, and all are counted by their state.
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
    // All agents of later waves have the same word here and in the list of rollouts; the lists of the waves say why
    // each waits.
    if (there && state !== 'untouched')
      for (const { waits } of there) add(state, waitWords(waits, time) ?? rolloutAgentWords[state].word, 1)
    else add(state, rolloutAgentWords[state].word, there?.length ?? counts[state])
  }
  return [...words.values()]
}
