/**
 * The programs that a test starts: the bundles that the test run has made. Unit tests and `npm run screenshots` make no
 * bundles and start the sources.
 */
import { sources } from './sources.ts'

const made = process.env.VITEST ? (await import('vitest')).inject('programs') : undefined
export const programs = made ?? sources
