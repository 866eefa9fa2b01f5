import { readFileSync } from 'node:fs'

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests?: number
  testResults: {
    name: string
    status: string
    startTime: number
    endTime: number
    assertionResults: { status: string }[]
  }[]
}

export interface FileTime {
  readonly file: string
  readonly milliseconds: number
}

/**
 * Counts the results of one test run from Vitest's JSON report. No failure is overlooked: a file that could not be
 * loaded counts as a failure, and so does a run that left no report, or that failed although its report has no failure.
 */
export function countsOf(file: string, exitCode: number): Counts {
  const report = readReport(file)
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((assertion) => assertion.status !== 'failed'),
  )
  const failed = report.numFailedTests + unloaded.length
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
  }
}

/** The duration of each test file, from Vitest's JSON report; empty if there is no report. */
export const timesOf = (report: string): FileTime[] =>
  (readReport(report)?.testResults ?? []).map(({ name, startTime, endTime }) => ({
    file: name,
    milliseconds: endTime - startTime,
  }))

export const sum = (all: readonly Counts[]): Counts =>
  all.reduce(
    (total, one) => ({
      passed: total.passed + one.passed,
      failed: total.failed + one.failed,
      skipped: total.skipped + one.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  )

export const lastLine = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

function readReport(file: string): VitestReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as VitestReport
  } catch {
    return undefined // the run was ended before it could write a report
  }
}
