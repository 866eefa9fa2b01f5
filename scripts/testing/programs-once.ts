/**
 * Vitest calls this before the first test of each kind that starts programs (vitest.config.ts). It makes the programs
 * that the tests start, unless they were already made from the same sources.
 */
import type { TestProject } from 'vitest/node'
import { makePrograms } from './programs.ts'
import type { Programs } from './sources.ts'

declare module 'vitest' {
  interface ProvidedContext {
    programs: Programs
  }
}

export default async function setup(project: TestProject): Promise<void> {
  project.provide('programs', await makePrograms(Date.now()))
}
