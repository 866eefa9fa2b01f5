/** Vitest runs this once before all process and browser tests: it makes the programs that the tests start. */
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
