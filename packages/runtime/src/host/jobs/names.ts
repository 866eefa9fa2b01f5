/** The names of jobs. */

/** The file in the folder of all jobs that lists runs without a record. No job can have its name. */
export const unrecorded = 'unrecorded'

/** True for the name of a job. A name is also the name of a folder, and a part of the names of logs and runs. */
export const isJobName = (word: string): boolean => /^[a-z0-9][a-z0-9._-]{0,62}$/.test(word) && word !== unrecorded

/** The end of a sentence that says which names a job can have. */
export const jobNames = `1 to 63 of the characters a-z 0-9 . _ -, the first a letter or digit, and not "${unrecorded}"`
