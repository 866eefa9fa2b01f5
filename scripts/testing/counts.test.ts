import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countsOf, lastLine, sum, timesOf } from './counts.ts'

function reportFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-counts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'report.json'), text)
  return join(folder, 'report.json')
}

const report = (passed: number, failed: number, pending: number, files: [status: string, tests: string[]][]) =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: pending,
    testResults: files.map(([status, tests]) => ({ status, assertionResults: tests.map((t) => ({ status: t })) })),
  })

test.each([
  ['all is well', report(3, 0, 1, [['passed', ['passed']]]), 0, { passed: 3, failed: 0, skipped: 1 }],
  ['a test failed', report(2, 1, 0, [['failed', ['passed', 'failed']]]), 1, { passed: 2, failed: 1, skipped: 0 }],
  ['a file could not be loaded', report(2, 0, 0, [['failed', []]]), 1, { passed: 2, failed: 1, skipped: 0 }],
  ['an error outside of all tests', report(2, 0, 0, [['passed', []]]), 1, { passed: 2, failed: 1, skipped: 0 }],
  ['a run that was ended', '{"numPassed', 1, { passed: 0, failed: 1, skipped: 0 }],
])('%s', (_what, text, code, counts) => {
  expect(countsOf(reportFile(text), code)).toEqual(counts)
})

test('a missing report counts as a failure', () => {
  expect(countsOf('/nowhere/report.json', 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

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
