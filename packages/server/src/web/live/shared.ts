/**
 * Shares answers that many pages ask for at the same moment: a frame makes all of them ask for their part of the list,
 * and most show the same part. Each request is authorised before it gets a shared answer (web/routing/guards.ts).
 */

/**
 * The milliseconds for which an answer is shared. Facts that change only with time, such as who is offline, may be this
 * much out of date.
 */
const shareMs = 250
/** The usual maximum number of answers kept. Most have up to 100 KB; the map of a fleet has up to 1 MB. */
const usualMax = 16

export interface SharedAnswers {
  /**
   * Returns the kept answer to `question` if it is younger than the lifetime, or else a new one from `make`. One
   * question always has answers of the same type.
   */
  of: <T>(question: string, make: () => Promise<T>) => Promise<T>
  /** Drops all answers, because something changed that the next ones must contain. */
  forget: () => void
}

/** Keeps answers for `lifetime` milliseconds, at most `max` of them; beyond that, the oldest is dropped. */
export function sharedAnswers(clock: () => number, lifetime = shareMs, max = usualMax): SharedAnswers {
  let answers = new Map<string, { at: number; answer: Promise<unknown> }>()
  return {
    of<T>(question: string, make: () => Promise<T>) {
      const known = answers.get(question)
      if (known && clock() - known.at < lifetime) return known.answer as Promise<T>
      answers.delete(question)
      for (const oldest of answers.keys()) {
        if (answers.size < max) break
        answers.delete(oldest)
      }
      const answer = make()
      const shared = { at: clock(), answer }
      answers.set(question, shared)
      // If an answer cannot be made, all pages that wait for it get the error. The error is not kept: for the next page
      // that asks, the service tries again.
      answer.catch(() => answers.get(question) === shared && answers.delete(question))
      return answer
    },
    forget() {
      answers = new Map()
    },
  }
}
