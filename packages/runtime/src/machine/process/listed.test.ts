import { expect, test } from 'vitest'
import { oldestProcess, processNames } from './listed.ts'

const process = (pid: number, command = 'sleep 900') => ({ pid, command })

test('processes are named by pid and command, and a command cannot control the terminal', () => {
  expect(processNames([process(8)])).toBe('process 8 (sleep 900)')
  expect(processNames([process(8), process(9, '')])).toBe('process 8 (sleep 900) and process 9')
  expect(processNames([process(8, 'a\u001b[2Jb')])).not.toContain('\u001b')
  expect(processNames([process(8, 'x'.repeat(200))])).toBe(`process 8 (${'x'.repeat(80)}…)`)
  const many = processNames(Array.from({ length: 10 }, (_, i) => process(i + 1, 'sh')))
  expect(many).toMatch(/^process 1 \(sh\), .* process 8 \(sh\) and 2 more$/)
})

test('the oldest process is the one that was started first since the boot', () => {
  const all = ['b:1000', 'b:99', 'b:500'].map((start, pid) => ({ pid, start }))
  expect(oldestProcess(all)?.start).toBe('b:99')
  expect(oldestProcess([])).toBeUndefined()
})
