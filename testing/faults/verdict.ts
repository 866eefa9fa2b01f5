/** Decides from Vitest's JSON report whether a test file noticed a fault. */

export interface VitestReport {
  readonly numTotalTests: number
  readonly success: boolean
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message?: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages?: readonly string[] | null
    }[]
  }[]
}

export type Verdict =
  | { readonly is: 'green' }
  /** A test failed, and not because it reached its time limit: it noticed the fault. */
  | { readonly is: 'caught'; readonly by: string; readonly says: string }
  /**
   * The run does not show whether the tests notice the fault: a file could not be loaded, a hook failed, or a time
   * limit was reached.
   */
  | { readonly is: 'broken'; readonly why: string }

const timeout = /^(?:Error: )?(?:Test|Hook) timed out in \d+ ?ms/

/** Judges a test run by Vitest's report; `report` is undefined if the run left no report. */
export function judgeRun(report: VitestReport | undefined): Verdict {
  if (!report) return { is: 'broken', why: 'the run left no report' }
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = tests.filter(({ status }) => status === 'failed')
  const caught = failed.find(({ failureMessages }) => !(failureMessages ?? []).every((text) => timeout.test(text)))
  if (caught) {
    const says = (caught.failureMessages ?? []).find((text) => !timeout.test(text)) ?? ''
    return { is: 'caught', by: caught.fullName.trim(), says }
  }
  if (failed[0]) return { is: 'broken', why: `"${failed[0].fullName.trim()}" timed out` }
  const file = report.testResults.find(({ status }) => status === 'failed')
  if (file) return { is: 'broken', why: firstLine(file.message) || 'a test file could not be run' }
  if (!report.success) return { is: 'broken', why: 'the run failed without a failed test' }
  const ran = tests.some(({ status }) => status === 'passed')
  return ran ? { is: 'green' } : { is: 'broken', why: 'no test was run' }
}

const firstLine = (text = ''): string => text.split('\n', 1)[0] ?? ''
