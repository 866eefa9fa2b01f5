/** The programs for a test to start: bundles where the run made some, the sources elsewhere (a unit test that starts one process). */
import { inject } from 'vitest'
import { type Programs, sources } from './sources.ts'

export const programs: Programs = inject('programs') ?? sources
