/** Vitest's global set-up of process and browser tests: makes the programs that they start. */
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
