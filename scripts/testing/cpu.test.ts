import { expect, test } from 'vitest'
import { cpuTime, cpuTimeOf } from './cpu.ts'

test('the times of a process are read, whatever its program is called', () => {
  const stat = '7 (a) b (c)) S 1 7 7 0 -1 4194304 100 200 0 0 150 50 1000 234 20 0 1 0 99 0 0'
  expect(cpuTimeOf(stat)).toEqual({ own: 2, children: 12.34 })
})

test.skipIf(process.platform !== 'linux')('this process has used the processor', () =>
  expect(cpuTime().own).toBeGreaterThan(0),
)
