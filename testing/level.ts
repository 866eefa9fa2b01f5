/**
 * The amount of testing. `short` is `npm test`: each guarantee once. `all` is `npm run test:all`: every test file.
 * `long` is `npm run test:long`: every test file, with all kill points, seeds and rounds.
 */
export type Level = 'short' | 'all' | 'long'

const given = process.env.SVC_TEST_LEVEL
if (given !== undefined && given !== 'short' && given !== 'all' && given !== 'long')
  throw new Error(`SVC_TEST_LEVEL must be short, all or long: it is "${given}".`)

/** The level of this run. A person who starts Vitest directly has chosen files, so all of their tests run. */
export const level: Level = given ?? 'all'

/** Chooses by the level, for example a number of rounds, seeds or kill points. */
export const byLevel = <T>(short: T, all: T, long: T): T => ({ short, all, long })[level]

/** The rows of a table of tests: all of them, but in `npm test` only the first `max`, which show the rule. */
export const rowsOfLevel = <T>(rows: readonly T[], max: number): readonly T[] =>
  level === 'short' ? rows.slice(0, max) : rows
