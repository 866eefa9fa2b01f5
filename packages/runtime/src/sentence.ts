/** Full stops of sentences that are put together from texts of agents and older runtimes. */

/** Ends a sentence with exactly one full stop, unless it ends with another mark. */
export const withStop = (sentence: string): string => (/[…!?]$/.test(sentence) ? sentence : `${withoutStop(sentence)}.`)

/** Takes the full stop off, for sentences that are joined. */
export const withoutStop = (sentence: string): string => sentence.replace(/[\s.]+$/, '')
