import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { places } from '../places.ts'
import { type Fault, kindOf, kinds, withFault } from './fault.ts'
import { faults } from './index.ts'
import { judgeRun, type VitestReport } from './verdict.ts'

const root = join(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

describe('the list of faults', () => {
  test('has at least 60, for every package, and 15 that only processes or a browser notice', () => {
    expect(faults.length).toBeGreaterThanOrEqual(60)
    for (const name of ['protocol', 'blueprint', 'runtime', 'server', 'dashboard'])
      expect(faults.filter(({ file }) => file.startsWith(`packages/${name}/`)).length, name).toBeGreaterThan(5)
    const slow = faults.filter(({ tests }) =>
      tests.every((test) => kindOf(test) === 'process' || kindOf(test) === 'browser'),
    )
    expect(slow.length).toBeGreaterThanOrEqual(15)
  })

  test('names each fault once, in meaningful words', () => {
    const names = faults.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const { name, harm } of faults) expect(harm, name).toMatch(/^[A-Z].*\.$/)
  })

  test.each(faults.map((fault) => [fault.name, fault] as const))('%s: the old text occurs once', (_name, fault) => {
    expect(withFault(textOf(fault.file), fault)).not.toBe(textOf(fault.file))
  })

  test('names test files that exist', () => {
    const pattern = new RegExp(`^(?:${places.join('|')})/.*\\.test\\.tsx?$`)
    for (const { name, tests } of faults) {
      expect(tests.length, name).toBeGreaterThan(0)
      for (const test of tests) {
        expect(test, name).toMatch(pattern)
        expect(existsSync(join(root, test)), test).toBe(true)
        expect(kinds).toContain(kindOf(test))
      }
    }
  })

  test('names no test file that is skipped completely unless the run is long', () => {
    for (const file of new Set(faults.flatMap(({ tests }) => tests)))
      expect(textOf(file), file).not.toMatch(/^test\.(?:skipIf\(level !== 'long'|runIf\(level === 'long')/m)
  })

  test('names at least one test for each fault that `npm test` runs, so one that is not slow', () => {
    const unseen = faults.filter(({ tests }) => tests.every((test) => test.includes('.slow.')))
    expect(unseen.map(({ name }) => name)).toEqual([])
  })
})

const fault: Fault = { name: 'f', harm: 'x', file: 'a.ts', old: 'a < b', new: 'a <= b', tests: [] }
test.each([
  ['not at all', 'b < a', 0],
  ['twice', 'a < b; a < b', 2],
])('an old text that occurs %s is refused', (_how, text, count) =>
  expect(() => withFault(text, fault)).toThrow(`it occurs ${count} times`),
)

describe('a run', () => {
  const ran = (...tests: [status: string, ...messages: string[]][]): VitestReport => ({
    numTotalTests: tests.length,
    success: tests.every(([status]) => status !== 'failed'),
    testResults: [
      {
        name: 'a.test.ts',
        status: tests.some(([status]) => status === 'failed') ? 'failed' : 'passed',
        assertionResults: tests.map(([status, ...failureMessages]) => ({ status, fullName: status, failureMessages })),
      },
    ],
  })
  const unloaded: VitestReport = {
    ...ran(),
    success: false,
    testResults: [{ name: 'a.test.ts', status: 'failed', message: 'SyntaxError: x\n  at y', assertionResults: [] }],
  }
  test.each<[string, VitestReport | undefined, string]>([
    ['whose tests pass is green', ran(['passed'], ['skipped']), 'green'],
    ['in which an assertion fails caught the fault', ran(['passed'], ['failed', 'AssertionError: 1']), 'caught'],
    ['in which a test ran out of time proves nothing', ran(['failed', 'Error: Test timed out in 5ms.']), 'broken'],
    ['in which one of two failures is an assertion caught it', ran(['failed', 'Test timed out in 5ms', 'E']), 'caught'],
    ['of a file that cannot be loaded proves nothing', unloaded, 'broken'],
    ['that left no report proves nothing', undefined, 'broken'],
    ['without any test proves nothing', ran(['skipped']), 'broken'],
    ['that failed for no test proves nothing', { ...ran(['passed']), success: false }, 'broken'],
  ])('%s', (_what, report, is) => expect(judgeRun(report).is).toBe(is))
})
