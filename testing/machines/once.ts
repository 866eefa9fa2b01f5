/**
 * Vitest's global set-up for the tests of containers and booted machines. If this machine cannot run them, the set-up
 * prints why, with the command that installs what is missing, and the tests are skipped.
 */
import type { TestProject } from 'vitest/node'
import programsOnce from '../programs-once.ts'
import { machineImage } from './images.ts'
import { removeLeftovers } from './leftovers.ts'
import { whyNot } from './missing.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** True if containers and machines can be started. */
    machines: boolean
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const reason = await whyNot()
  if (reason !== undefined) process.stderr.write(`NOT TESTED: containers and booted machines, since ${reason}\n`)
  else {
    await removeLeftovers()
    await machineImage()
  }
  project.provide('machines', reason === undefined)
  await programsOnce(project)
}
