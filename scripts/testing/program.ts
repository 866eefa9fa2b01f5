/**
 * The programs that a test starts: the bundles that the test run has made or, without those, the sources (in unit tests
 * and `npm run screenshots`).
 */
import { sources } from './sources.ts'

const made = process.env.VITEST ? (await import('vitest')).inject('programs') : undefined
export const programs = made ?? sources
