/**
 * The programs that a test starts: bundles if the run made some, otherwise the sources (unit tests, `npm run
 * screenshots`).
 */
import { sources } from './sources.ts'

const made = process.env.VITEST ? (await import('vitest')).inject('programs') : undefined
export const programs = made ?? sources
