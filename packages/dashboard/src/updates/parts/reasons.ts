/** Finds the reasons in messages of update attempts. */
import type { UpdateEvent } from '@svc/api'
import { updateWords } from '@svc/api/words'
import { readAttemptText } from '@svc/protocol'

/**
 * Returns the reason from the message of an update attempt, without the versions and the time in it, which the page
 * shows separately. A message in an unknown format is returned whole.
 */
export const reasonIn = (message: string): string => readAttemptText(message)?.reason ?? message

/** Returns the reason with a full stop at the end, unless it already ends with a punctuation mark. */
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
