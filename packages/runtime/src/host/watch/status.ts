/** The status of the host agent: which sections a person chose to show, and what they say now. */
import type { StatusFile } from '@svc/protocol'
import { type JobsPlaces, jobsPartNow } from './jobs-section.ts'
import { statusOf } from './part.ts'

/** The status that `svc watch` would write now. Nothing is written, and folders that are missing hold nothing yet. */
export async function statusNow(places: JobsPlaces, shows: { readonly jobs: boolean }): Promise<StatusFile> {
  return statusOf(shows.jobs ? [await jobsPartNow(places)] : [])
}
