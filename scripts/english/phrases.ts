/**
 * The phrases and beginnings that the check of our English reports. A phrase is added to the list when a reader did not
 * understand it.
 */

/** Phrases that sound like a translation, each with what to write instead. */
export const phrases: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\banew\b/i, 'again'],
  [/\bbegun\b/i, 'started'],
  [/\b(un)?told of\b/i, 'told about, or name the message'],
  [/\bhow-manieth\b/i, 'the number of, counted from'],
  [/\bwhom\b/i, 'name the person or thing'],
  [/\bany more\b(?! than)/i, 'no longer'],
  [/\b(is|are|was|does|do) no more\b(?! than)/i, 'no longer'],
  [/\ball the same\b/i, 'still'],
  [/\bdear(er|est)?\b/i, 'expensive'],
  [/\bin the midst\b/i, 'during'],
  [/\bfor ever\b/i, 'forever'],
  [/\bforth\b(?<!(so|and) forth)/i, 'forwards, or leave it out'],
  [/\b(comes?|came) about\b/i, 'is made, happens'],
  [/\bat the (longest|most)\b/i, 'at most'],
  [/\b(stands?|stood) (in|on|at|there|here|beside|under|above|below)\b/i, 'is in, is on'],
  [/\b(lies|lie|lay) (in|on|at|there|here|beside|under|where)\b/i, 'is in, is on'],
  [/\bwas the other way\b/i, 'the alternative was'],
  [/\bof (ours|theirs)\b/i, 'our, their'],
  [/\bwithout a word\b/i, 'silently'],
  [/\b(where|there|here)(of|in|after|by|upon)\b(?<!\b(thereby|hereafter|hereby)\b)/i, 'two plain words'],
  [/\bshall\b/i, 'must, will, should'],
  [/\b(take[sn]?|took) along\b/i, 'includes, copies too'],
  [/\blets? (it|them|one|him|her) go on\b/i, 'resumes'],
  [/\b(get|gets|got) well\b/i, 'recovers'],
  [/\bonce only\b/i, 'only once'],
  [/\bin vain\b/i, 'without success'],
  [/\bsees? to it\b/i, 'ensures'],
  [/\b(stopped|ended|stops|ends) in order\b/i, 'stopped cleanly'],
  [/\bin (its|their) stead\b/i, 'instead'],
  [/\bhands? in\b/i, 'passes, sends'],
  [/\bhow (it|the agent|an agent) feels\b/i, 'how healthy it is'],
  [/\b(hears?|heard|hearing) of\b/i, 'learns about'],
]

/**
 * Matches comments and paragraphs whose beginning leaves the reader without a subject, such as "Of the last report."
 * and "Whether it may act."
 */
const withoutSubject =
  /^(Of|By|What|Whether|Whoever|Whom|To whom|So many|So often|So long|So much|How many|How much|Those of|Where)\b/
/** Matches complete sentences that begin like a fragment, such as "By default …" or "What is …?". They are accepted. */
const whole =
  /^(By (default|design|convention|contrast|hand|then|now)\b|Of course\b|So (many|often|long|much) [^.]* that\b|What (is|are|does|do|was|can|if) [^.]*\?|How (many|much) [^.]*\?|What's\b|Whether or not\b|(Where|By) [^.]+, )/

/**
 * Returns the first five words of a comment or paragraph that begins like a fragment, to be quoted in the finding;
 * undefined if the beginning is accepted.
 */
export function fragmentIn(text: string): string | undefined {
  if (!withoutSubject.test(text) || whole.test(text)) return undefined
  return text.split(' ').slice(0, 5).join(' ')
}
