/** The programs for a test to start: bundles where the run made some, else the sources (a unit test, `npm run screenshots`). */
import { sources } from './sources.ts'

const made = process.env.VITEST ? (await import('vitest')).inject('programs') : undefined
export const programs = made ?? sources
