/** The ids of runs. An id is the name of its record without `.json`: when the run began, and a random part. */
import { basename } from 'node:path'

const shape = /^(\d{1,15}-[0-9a-z]{1,16})\.json$/

/** Makes an id for a run that begins at `now`, in Unix milliseconds. `random` is at least 0 and less than 1. */
export const newId = (now: number, random: number): string =>
  `${now}-${Math.floor(random * 36 ** 8)
    .toString(36)
    .padStart(8, '0')}`

/** The id of the run in this file. Undefined if the file is no record. */
export const idOf = (file: string): string | undefined => shape.exec(basename(file))?.[1]

/** When a run began, in Unix milliseconds. */
export const millisecondsOf = (id: string): number => Number(id.slice(0, id.indexOf('-')))
