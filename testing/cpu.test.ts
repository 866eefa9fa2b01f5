import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cpuTime, cpuTimeOf, withReaper } from './cpu.ts'

test('the times of a process are read, whatever its program is called', () => {
  const stat = '7 (a) b (c)) S 1 7 7 0 -1 4194304 100 200 0 0 150 50 1000 234 20 0 1 0 99 0 0'
  expect(cpuTimeOf(stat)).toEqual({ own: 2, children: 12.34 })
})

test.skipIf(process.platform !== 'linux')('this process has used the processor', () =>
  expect(cpuTime().own).toBeGreaterThan(0),
)

test.skipIf(process.platform !== 'linux')('the time of a process that outlives its parent is counted, too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cpu-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const busy = 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done'
  const leavesOne = `mkfifo ended; ( (${busy}; echo > ended) & ); read _ < ended; sleep 1; exit 3`
  const timeOf = (command: readonly string[]) => {
    rmSync(join(folder, 'ended'), { force: true })
    const before = cpuTime().children
    const [program = '', ...args] = command
    expect(spawnSync(program, args, { cwd: folder, stdio: 'ignore' }).status).toBe(3)
    return cpuTime().children - before
  }
  const alone = timeOf(['sh', '-c', leavesOne])
  expect(timeOf(withReaper(['sh', '-c', leavesOne]))).toBeGreaterThan(2 * alone)
})
