import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { addCauses } from './causes.ts'
import { countsOf, failuresOf, lastLine, sum, timesOf } from './counts.ts'

function reportFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-counts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'report.json'), text)
  return join(folder, 'report.json')
}

const report = (passed: number, pending: number, files: [status: string, tests: string[]][]) =>
  JSON.stringify({
    numPassedTests: passed,
    numPendingTests: pending,
    testResults: files.map(([status, tests]) => ({
      name: '/home/svc/a.test.ts',
      status,
      message: status === 'failed' ? 'Cannot find b.ts\nat c.ts' : '',
      assertionResults: tests.map((result) => ({
        fullName: 'a list > is empty',
        status: result,
        failureMessages:
          result === 'failed'
            ? [
                '\u001b[31mexpected 1 to be 2\u001b[39m\n at t (/home/svc/node_modules/v.js:1:2)\n at /home/svc/d.ts:7:3',
              ]
            : [],
      })),
    })),
  })

test.each([
  ['all is well', report(3, 1, [['passed', ['passed']]]), 0, { passed: 3, failed: 0, skipped: 1 }],
  ['a test failed', report(2, 0, [['failed', ['passed', 'failed']]]), 1, { passed: 2, failed: 1, skipped: 0 }],
  ['a file could not be loaded', report(2, 0, [['failed', []]]), 1, { passed: 2, failed: 1, skipped: 0 }],
  ['an error outside of all tests', report(2, 0, [['passed', []]]), 1, { passed: 2, failed: 1, skipped: 0 }],
  ['a run that was ended', '{"numPassed', 1, { passed: 0, failed: 1, skipped: 0 }],
])('%s', (_what, text, code, counts) => {
  expect(countsOf(reportFile(text), code)).toEqual(counts)
})

test('a missing report counts as a failure', () => {
  expect(countsOf('/nowhere/report.json', 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test.each([
  ['a test', [['failed', ['passed', 'failed']]], 1, 'a.test.ts > a list > is empty', 'expected 1 to be 2 (d.ts:7:3)'],
  ['a file that could not be loaded', [['failed', []]], 1, 'a.test.ts', 'Cannot find b.ts'],
  ['an error outside of all tests', [['passed', ['passed']]], 1, /report\.json$/, /outside of all tests/],
] as const)('the failure of %s is named, with the first line of its error', (_what, files, code, what, message) => {
  const found = failuresOf(
    reportFile(
      report(
        2,
        0,
        files.map(([status, tests]) => [status, [...tests]]),
      ),
    ),
    code,
    '/home/svc',
  )
  expect(found).toEqual([{ what: match(what), message: match(message) }])
})

test('a failed property is shown with its seed, its counterexample and its error', () => {
  const stackOf = (file: string) => ({ stack: `Error: ${file}\n    at t (/home/svc/${file}:1:2)` })
  const property = 'Error: Property failed after 9 tests\n{ seed: 1, path: "0" }\nCounterexample: [2]\n\nHint: Look'
  const error = { stack: property, cause: { ...stackOf('b.ts'), cause: stackOf('c.ts') } }
  addCauses([error])
  const test = { fullName: 'adds', status: 'failed', failureMessages: [error.stack] }
  const testResults = [{ name: '/home/svc/a.test.ts', status: 'failed', message: '', assertionResults: [test] }]
  const [found] = failuresOf(reportFile(JSON.stringify({ testResults })), 1, '/home/svc')
  expect(found?.message.split('\n').map((line) => line.trim())).toEqual([
    'Error: Property failed after 9 tests',
    '{ seed: 1, path: "0" }',
    'Counterexample: [2]',
    'Caused by: Error: b.ts (b.ts:1:2)',
    'Caused by: Error: c.ts (c.ts:1:2)',
  ])
})

const match = (text: string | RegExp): unknown => (typeof text === 'string' ? text : expect.stringMatching(text))

test('the last line sums the kinds, and names skipped tests only if there are any', () => {
  const one = { passed: 2, failed: 1, skipped: 0 }
  expect(lastLine(sum([one, one]))).toBe('4 passed, 2 failed')
  expect(lastLine(sum([one, { ...one, skipped: 3 }]))).toBe('4 passed, 2 failed, 3 skipped')
})

test('the time of each file is read from the report; a missing report gives none', () => {
  const text = JSON.stringify({ testResults: [{ name: '/a.test.ts', startTime: 1000, endTime: 3500 }] })
  expect(timesOf(reportFile(text))).toEqual([{ file: '/a.test.ts', milliseconds: 2500 }])
  expect(timesOf('/nowhere/report.json')).toEqual([])
})
