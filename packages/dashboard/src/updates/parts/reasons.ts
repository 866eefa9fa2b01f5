/** The reasons in messages of update attempts, each shown once on a page. */
import type { UpdateEvent } from '@svc/api'
import { updateWords } from '@svc/api/words'
import { readAttemptText } from '@svc/protocol'

/**
 * Returns the reason from the message of an update attempt, without the versions and the time in it, which the page
 * shows separately. A message in an unknown format is returned whole.
 */
export const reasonIn = (message: string): string => readAttemptText(message)?.reason ?? message

/** The reason as a sentence with a full stop, to be followed by other sentences. */
export const reasonSentence = (message: string): string => reasonIn(message).replace(/([^.!?…])$/, '$1.')

/**
 * The reason to show with each event of a timeline, by the event's id. A reason is shown once. It is left out if the
 * page shows it above the timeline (`shown`) or with a later event, or if it only repeats the word of the event.
 */
export function reasonsOf(
  events: readonly Pick<UpdateEvent, 'id' | 'kind' | 'message'>[],
  shown: readonly string[] = [],
): Map<string, string> {
  const known = new Set(shown)
  const reasons = new Map<string, string>()
  for (const { id, kind, message } of events) {
    const reason = message === null ? '' : reasonIn(message)
    if (reason === '' || reason === updateWords[kind] || known.has(reason)) continue
    known.add(reason)
    reasons.set(id, reason)
  }
  return reasons
}
