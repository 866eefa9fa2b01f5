/** Parts of sentences: numbers of things, and full stops behind texts of agents and older runtimes. */

/** A number of things, such as `1 job` or `2 jobs`. */
export const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`

/** Ends a sentence with exactly one full stop, unless it ends with an ellipsis, `!` or `?`. */
export const withStop = (sentence: string): string => (/[…!?]$/.test(sentence) ? sentence : `${withoutStop(sentence)}.`)

/** Removes the full stop of a sentence that becomes part of another. */
export const withoutStop = (sentence: string): string => sentence.replace(/[\s.]+$/, '')
