import type { RolloutAgentState } from '@svc/api'
import { Tone as Dot } from '../../ui/index.ts'
import { memberWords, type Tone } from '../../updates/words.ts'

const order = [
  'kept',
  'excused',
  'rolled_back',
  'failed',
  'worse',
  'trying',
  'offered',
  'wished',
  'untouched',
  'withdrawn',
  'left_out',
] as const satisfies RolloutAgentState[]

/**
 * The number of agents of a rollout in each state, as a bar and in words. Agents that are left out are only in the
 * words.
 */
export function Bar({ counts }: { counts: Readonly<Record<RolloutAgentState, number>> }) {
  const there = order.filter((state) => counts[state] > 0)
  return (
    <div>
      <div className="up-bar" aria-hidden>
        {there
          .filter((state) => state !== 'left_out')
          .map((state) => (
            <span key={state} data-tone={toneOf(state)} style={{ flexGrow: counts[state] }} />
          ))}
      </div>
      <ul className="svc-list up-counts">
        {there.map((state) => (
          <li key={state}>
            <Dot tone={toneOf(state) === 'waiting' ? 'told' : toneOf(state)}>
              {`${counts[state].toLocaleString('en-US')} ${memberWords[state].word}`}
            </Dot>
          </li>
        ))}
      </ul>
    </div>
  )
}

const toneOf = (state: RolloutAgentState): Tone => memberWords[state].tone
