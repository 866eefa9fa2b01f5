/**
 * Answers that many pages ask for in the same moment: a frame tells all of them to ask for their part of the list, and most
 * look at the same part. Who may ask is decided for each request before (web/kit/guards.ts); an answer is the same for everybody
 * who may.
 */

/** Milliseconds for which an answer is the present: what the clock alone changes in it, who is silent, is that exact. */
const present = 250
/** Answers kept at once of one workspace: each is up to a hundred kilobytes. */
const maxAnswers = 16

export type Answer = Uint8Array<ArrayBuffer>

export interface Answers {
  /** The answer to `question` that was made in this moment, or else the one that `make` gives. */
  of: (question: string, make: () => Promise<Answer>) => Promise<Answer>
  /** Something changed that the next one who asks must see. */
  forget: () => void
}

export function sharedAnswers(clock: () => number): Answers {
  let answers = new Map<string, { at: number; answer: Promise<Answer> }>()
  return {
    of(question, make) {
      const known = answers.get(question)
      if (known && clock() - known.at < present) return known.answer
      if (answers.size >= maxAnswers) answers = new Map()
      const answer = make()
      const mine = { at: clock(), answer }
      answers.set(question, mine)
      // One that failed is nobody else's answer.
      answer.catch(() => answers.get(question) === mine && answers.delete(question))
      return answer
    },
    forget() {
      answers = new Map()
    },
  }
}
