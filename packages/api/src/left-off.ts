/**
 * The header with the number of rows that an answer leaves off because it would be larger than 1 MB. An answer that is
 * an object also has the number for each of its lists in `leftOff`.
 */
export const leftOffHeader = 'svc-left-off'

/** The numbers of rows that an answer leaves off, by the names of its lists; missing if none. */
export interface LeftOff {
  leftOff?: Readonly<Record<string, number>>
}

/** The number of an agent's changes that an answer lists by default, and the maximum. */
export const listedChanges = { default: 200, max: 1000 } as const
