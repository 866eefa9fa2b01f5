import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { causedBy } from './causes.ts'

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

interface VitestReport {
  numPassedTests: number
  numPendingTests: number
  numTodoTests?: number
  testResults: {
    name: string
    status: string
    startTime: number
    endTime: number
    message?: string
    assertionResults: { status: string; fullName?: string; failureMessages?: string[] }[]
  }[]
}

export interface FileTime {
  readonly file: string
  readonly milliseconds: number
}

/** A test that failed, or something else that makes a run fail. */
export interface Failure {
  /** The file and the name of the test; or what failed, if it was no test. */
  readonly what: string
  /** The first line of the error, and where in the checkout it happened if that is known. */
  readonly message: string
}

/** Counts the results of one test run from Vitest's JSON report, with its failures as `failuresOf` finds them. */
export function countsOf(file: string, exitCode: number): Counts {
  const report = readReport(file)
  return {
    passed: report?.numPassedTests ?? 0,
    failed: failuresOf(file, exitCode).length,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
  }
}

/**
 * The failures of one test run, from Vitest's JSON report. No failure is overlooked: a file that could not be loaded is
 * one, and so is a run that left no report, or that failed although its report has no failure.
 */
export function failuresOf(file: string, exitCode: number, root = '/'): Failure[] {
  const report = readReport(file)
  if (!report) return [{ what: relative(root, file), message: 'The tests were ended before they could report.' }]
  const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((assertion) => assertion.status === 'failed')
    const where = relative(root, name)
    if (status === 'failed' && tests.length === 0) return [{ what: where, message: shortenError(message, root) }]
    return tests.map((test) => ({
      what: `${where} > ${test.fullName}`,
      message: shortenError(test.failureMessages?.[0], root),
    }))
  })
  if (failures.length > 0 || exitCode === 0) return failures
  return [{ what: relative(root, file), message: 'An error outside of all tests; the output above has it.' }]
}

/**
 * The first line of an error, and the first place in its stack that is below `root` but in no library. The seed and the
 * counterexample of a failed property follow, and then the first line and place of each cause.
 */
function shortenError(error = '', root: string): string {
  const [first = '', ...causes] = stripVTControlCharacters(error).split(`\n${causedBy}`)
  const values = first.split('\n').filter((line) => /^(\{ seed: |Counterexample: )/.test(line))
  return [headOf(first, root), ...values, ...causes.map((cause) => causedBy + headOf(cause, root))].join('\n        ')
}

function headOf(error: string, root: string): string {
  const [first = '', ...stack] = error.split('\n')
  const own = stack.find((line) => line.includes(root) && !line.includes('node_modules'))
  const place = own?.slice(own.indexOf(root)).match(/^[^\s()]+:\d+/)?.[0]
  return place ? `${first} (${relative(root, place)})` : first
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
