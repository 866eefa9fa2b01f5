import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentFolder } from '../../../testing/folder.ts'
import { isAlive, ownIdentity } from '../process/identity.ts'
import { createFolders } from './folder.ts'
import { tryLock, whoHolds, withTurn } from './lock.ts'

let folder: ReturnType<typeof agentFolder>
beforeEach(() => {
  folder = agentFolder()
})
afterEach(() => folder.remove())

test('one process holds the lock, and the next learns which (D58)', () => {
  const first = tryLock(folder, 'runtime', 'svc report')
  expect(first.ok).toBe(true)
  expect(tryLock(folder, 'runtime', 'svc report')).toMatchObject({
    ok: false,
    holder: { pid: process.pid, what: 'svc report' },
  })
  expect(tryLock(folder, 'turn', 'svc pause').ok).toBe(true)
  if (first.ok) first.held.release()
  expect(whoHolds(folder, 'runtime')).toBeUndefined()
  expect(tryLock(folder, 'runtime', 'svc report').ok).toBe(true)
})

test.each([
  ['a process that is gone', () => ({ ...ownIdentity(), pid: 2 ** 22 - 3 })],
  ['an earlier process with the same pid', () => ({ pid: process.pid, start: 'another boot:1' })],
  ['nonsense', () => ({ pid: 'x' })],
])('a lock of %s is free', (_who, holder) => {
  createFolders(folder)
  writeFileSync(join(folder.lock, 'runtime.7'), JSON.stringify(holder()))
  expect(whoHolds(folder, 'runtime')).toBeUndefined()
  expect(tryLock(folder, 'runtime', 'svc report').ok).toBe(true)
  expect(readdirSync(folder.lock)).toEqual(['runtime.8'])
})

test('a process that only waits to be reaped holds no lock', async () => {
  const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)))
  execFileSync('sh', ['-c', `while kill -0 ${pid} 2>/dev/null && ! ps -o stat= -p ${pid} | grep -q Z; do :; done`])
  expect(isAlive({ pid, start: '' })).toBe(false)
  parent.kill('SIGKILL')
})

test('a thread that was ended during its turn holds no lock, although its process lives', async () => {
  const lock = new URL('./lock.ts', import.meta.url).href
  const worker = new Worker(
    `import(${JSON.stringify(lock)}).then(({ withTurn }) => withTurn(require('node:worker_threads').workerData, 'svc run', () => {
      require('node:worker_threads').parentPort.postMessage('in')
      for (;;);
    }))`,
    { eval: true, workerData: { svc: folder.svc, journal: folder.journal, lock: folder.lock } },
  )
  await new Promise((resolve) => worker.once('message', resolve))
  expect(whoHolds(folder, 'turn')?.pid).toBe(process.pid)
  await worker.terminate()
  expect(withTurn(folder, 'svc run', () => 'done')).toBe('done')
})

test('work that fails releases the turn', () => {
  expect(() =>
    withTurn(folder, 'svc set', () => {
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(withTurn(folder, 'svc set', () => 'done')).toBe('done')
})

test('many processes never hold the turn at the same time, and none waits for a killed one', async () => {
  const worker = fileURLToPath(new URL('../../../testing/take-turns.ts', import.meta.url))
  const counter = join(folder.root, 'counter')
  writeFileSync(counter, '0')
  const runs = Array.from(
    { length: 4 },
    (_, i) =>
      new Promise<number | null>((resolve) =>
        spawn(process.execPath, [worker, folder.root, counter, i === 0 ? 'dies' : '25'], { stdio: 'inherit' }).on(
          'close',
          resolve,
        ),
      ),
  )
  expect(await Promise.all(runs)).toEqual([null, 0, 0, 0])
  expect(execFileSync('cat', [counter]).toString()).toBe('75')
})
