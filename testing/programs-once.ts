/**
 * Vitest's global set-up for the kinds of tests that start programs (vitest.config.ts). It bundles the programs, unless
 * bundles of the same sources exist already.
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
