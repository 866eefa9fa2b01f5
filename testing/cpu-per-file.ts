/** Vitest loads this module for each test file. It notes the processor time of the file. */
import { relative } from 'node:path'
import { afterAll, expect } from 'vitest'
import { cpuTime, noteFileTime } from './cpu.ts'

const begun = cpuTime()
afterAll(() => {
  const { own, children } = cpuTime()
  const { testPath } = expect.getState()
  if (testPath) noteFileTime(relative(process.cwd(), testPath), own - begun.own + children - begun.children)
})
