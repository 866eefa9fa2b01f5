/** The words for the states and events of an update. */

/** The word for each event of an update, and for the state that follows it. */
export const updateWords = {
  wished: 'requested',
  withdrawn: 'cancelled',
  offered: 'sent',
  fetched: 'downloaded',
  trying: 'testing',
  kept: 'kept',
  rolled_back: 'rolled back',
  failed: 'failed',
  held: 'on hold',
  dropped: 'dropped',
  lifted: 'hold lifted',
  changed: 'changed on its machine',
} as const satisfies Readonly<Record<string, string>>

/** The kind of an event in an agent's timeline of updates. `changed`: a person changed the version on the machine. */
export type UpdateKind = keyof typeof updateWords
