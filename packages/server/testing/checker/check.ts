/**
 * Checks the invariants I1 to I16 against the recorded lines of a test run (lines.ts). Returns each violation as a
 * sentence.
 */
import { commandFaults } from './commands.ts'
import { installFaults } from './installs.ts'
import type { Line } from './lines.ts'
import { reportFaults } from './reports.ts'
import { wishFaults } from './wishes.ts'

export const faultsOf = (lines: readonly Line[]): string[] => [
  ...commandFaults(lines),
  ...reportFaults(lines),
  ...wishFaults(lines),
  ...installFaults(lines),
]
