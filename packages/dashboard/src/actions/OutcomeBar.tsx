import type { ActionRow, ActionState } from '@svc/api'
import { outcomeWords } from './dialogs/words.ts'

/** The order of the states in bars and filters. */
export const stateOrder = Object.keys(outcomeWords) as ActionState[]

/**
 * Draws the share of an action's agents in each state. Screen readers skip it, since the numbers are beside it in
 * words.
 */
export const OutcomeBar = ({ counts }: { counts: ActionRow['counts'] }) => (
  <div className="act-bar" aria-hidden>
    {stateOrder
      .filter((state) => counts[state] > 0)
      .map((state) => (
        <span key={state} data-state={state} data-tone={outcomeWords[state].tone} style={{ flexGrow: counts[state] }} />
      ))}
  </div>
)

/** The numbers of an action in words: `38 applied, 2 skipped`. */
export const actionCountsText = (counts: ActionRow['counts']): string =>
  stateOrder
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state].toLocaleString('en-US')} ${outcomeWords[state].word}`)
    .join(', ')
