/**
 * The ids of runs. An id is the name of its record without `.json`: its sort number and a random part. The sort number
 * is the start of the run in Unix milliseconds or, if the clock was set back since the previous run, the number of that
 * run plus one. So ids are in the order of the runs, whatever the clock does.
 */
import { basename } from 'node:path'

const recordNamePattern = /^(\d{1,15}-[0-9a-z]{1,16})\.json$/

/** Makes an id with this sort number. `random` is at least 0 and less than 1. */
export const newRunId = (sortNumber: number, random: number): string =>
  `${sortNumber}-${Math.floor(random * 36 ** 8)
    .toString(36)
    .padStart(8, '0')}`

/** The id of the run in this file. Undefined if the file is not a record. */
export const runIdOf = (file: string): string | undefined => recordNamePattern.exec(basename(file))?.[1]

/** The number by which the runs of a job are sorted. */
export const sortNumberOf = (id: string): number => Number(id.slice(0, id.indexOf('-')))

/** A run whose sort number is more than this many milliseconds in the future is ignored: the clock was wrong. */
export const maxAheadMs = 86_400_000

/** The sort number of the newest run among these names of files, at `now` in Unix milliseconds. */
export const newestSortNumber = (names: readonly string[], now: number): number =>
  names.reduce((newest, name) => {
    const id = runIdOf(name)
    const sortNumber = id === undefined ? 0 : sortNumberOf(id)
    return sortNumber <= now + maxAheadMs ? Math.max(newest, sortNumber) : newest
  }, 0)
