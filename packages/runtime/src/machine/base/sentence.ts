/** Adds and removes full stops where sentences are built from texts of agents and older runtimes. */

/** Ends a sentence with exactly one full stop, unless it ends with an ellipsis, `!` or `?`. */
export const withStop = (sentence: string): string => (/[…!?]$/.test(sentence) ? sentence : `${withoutStop(sentence)}.`)

/** Removes the full stop of a sentence that becomes part of another. */
export const withoutStop = (sentence: string): string => sentence.replace(/[\s.]+$/, '')
