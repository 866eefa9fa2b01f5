import { type ChildProcess, spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { createNameHelper, type StartHelperProcess, startHelper } from './helper.ts'

const never = new AbortController().signal

/**
 * A helper that starts its processes as in production. The first ones run the scripts in `programs` instead. `children`
 * lists all processes.
 */
function started(...programs: string[]) {
  const children: ChildProcess[] = []
  const threads: number[] = []
  const start: StartHelperProcess = (count) => {
    const program = programs.shift()
    const child =
      program === undefined
        ? startHelper(count)
        : spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'ignore'] })
    threads.push(count)
    children.push(child)
    return child
  }
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  return { children, threads, helper: createNameHelper(start) }
}

const hangs = 'process.stdin.resume()'
const aborts = 'process.abort()'

test('a name is looked up by the system, with its hosts file and errors', async () => {
  const { children, helper } = started()
  const found = await helper.lookUp('localhost', { family: 4 }, never)
  expect(found).toEqual([{ address: '127.0.0.1', family: 4 }])
  const failing = helper.lookUp('name with spaces', {}, never)
  await expect(failing).rejects.toMatchObject({ code: expect.stringMatching(/^E/) })
  expect(children).toHaveLength(1)
})

test('a look-up that hangs ends when its time is over, and its process is ended; the next one asks another', async () => {
  const { children, helper } = started(hangs)
  const ending = new AbortController()
  const late = helper.lookUp('hooks.example.org', {}, ending.signal)
  const other = new AbortController()
  const beside = helper.lookUp('beside.example.org', {}, other.signal)
  ending.abort(new Error('late'))
  await expect(late).rejects.toThrow('late')
  expect(await helper.lookUp('127.0.0.1', {}, never)).toEqual([{ address: '127.0.0.1', family: 4 }])
  // The process is still there for the other look-up, until that one is over too.
  expect(children[0]?.signalCode).toBeNull()
  other.abort(new Error('late too'))
  await expect(beside).rejects.toThrow('late too')
  await eventually('the process ends', () => expect(children[0]?.signalCode).toBe('SIGKILL'))
  expect(children[1]?.signalCode).toBeNull()
})

test('a process that ends without an answer is replaced by one with fewer threads, and asked again', async () => {
  const { threads, helper } = started(aborts, aborts)
  expect(await helper.lookUp('127.0.0.1', {}, never)).toEqual([{ address: '127.0.0.1', family: 4 }])
  expect(threads).toEqual([336, 168, 84])
})

test('if no process can be started, the name is looked up in this one', async () => {
  const missing: StartHelperProcess = () => spawn('/nonexistent/node', [], { stdio: ['pipe', 'pipe', 'ignore'] })
  const helper = createNameHelper(missing)
  expect(await helper.lookUp('127.0.0.1', {}, never)).toEqual([{ address: '127.0.0.1', family: 4 }])
})

test('the process ends with the service', async () => {
  const child = startHelper(4)
  child.stdin?.end()
  await eventually('the process ends', () => expect(child.signalCode).toBe('SIGKILL'))
})
