import type { RolloutAgent, RolloutAgentState } from '@svc/api'
import { Tone as Dot, timeOfDay } from '../ui/index.ts'
import type { Tone } from './parts/words.ts'
import { filled, tally } from './tally.ts'

interface BarProps {
  counts: Readonly<Record<RolloutAgentState, number>>
  /** The agents of the rollout, if they are known. The words then say what they wait for. */
  agents?: readonly RolloutAgent[]
}

/**
 * The number of agents of a rollout in each state, as a bar and in words. The bar fills with agents that have an
 * outcome. Agents that are left out are only in the words.
 */
export const Bar = ({ counts, agents }: BarProps) => (
  <div>
    <div className="up-bar" aria-hidden>
      {filled(counts).map(({ state, tone, number }) => (
        <span key={state} data-tone={tone} style={{ flexGrow: number }} />
      ))}
    </div>
    <ul className="svc-list up-counts">
      {tally(counts, agents, timeOfDay).map(({ word, tone, number }) => (
        <li key={word}>
          <Dot tone={shown(tone)}>{`${number.toLocaleString('en-US')} ${word}`}</Dot>
        </li>
      ))}
    </ul>
  </div>
)

const shown = (tone: Tone) => (tone === 'waiting' ? 'told' : tone)
