/** The words for the states and events of an update, which are the same wherever one is named. */
import type { UpdateKind } from '../answers/updates.ts'

/** The word for each event of an update. A state that an event leads to has the same word. */
export const updateWords: Readonly<Record<UpdateKind, string>> = {
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
}
