/**
 * Tests how the demo starts and ends processes, including those that refuse to end and their children. `npm test`
 * leaves this out. The demo is not a part of the product.
 */
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { freePort } from '../../testing/free-port.ts'
import { onFreePort } from './ports.ts'
import { type Command, EndedEarly, Guard, Processes } from './processes.ts'

function newSetup() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-test-'))
  const guarded = mkdtempSync(join(tmpdir(), 'svc-demo-guarded-'))
  const deaths: string[] = []
  let heard: (() => void) | undefined
  const death = new Promise<void>((resolve) => {
    heard = resolve
  })
  const died = (...what: string[]) => {
    deaths.push(what.join(': '))
    heard?.()
  }
  const processes = new Processes(folder, new Guard(guarded), died, 3)
  onTestFinished(async () => {
    await processes.end()
    for (const one of [folder, guarded]) rmSync(one, { recursive: true, force: true })
  })
  const shell = (line: string): Command => ({ command: ['sh', '-c', line], cwd: folder, env: process.env })
  return { processes, folder, guarded, deaths, death, shell }
}

/** The ids of the processes of a group that are still running. */
const groupOf = (group: number): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      const [state, , of] = readFileSync(`/proc/${Number(pid)}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      return Number(of) === group && state !== 'Z'
    } catch {
      return false // the entry of /proc is not a process, or the process has ended
    }
  })

test('the end kills a process that ignores signals, and its child', async () => {
  const { processes, shell, guarded } = newSetup()
  await processes.start('stubborn', shell('trap "" TERM; sleep 1000 & wait; wait'))
  const pid = processes.pids.stubborn ?? 0
  expect(groupOf(pid).length).toBeGreaterThan(0)
  await processes.end()
  expect(groupOf(pid)).toEqual([])
  expect(existsSync(guarded)).toBe(false)
})

test('a process that handles the signal gets time to end cleanly', async () => {
  const { processes, shell, folder } = newSetup()
  await processes.start('polite', shell('trap "echo bye; exit" TERM; echo hello; while :; do sleep 0.05; done'))
  await eventually('it says hello', () => expect(readFileSync(join(folder, 'polite.log'), 'utf8')).toBe('hello\n'))
  await processes.end()
  expect(readFileSync(join(folder, 'polite.log'), 'utf8')).toMatch(/^hello\n(Terminated\n)?bye\n$/)
})

test('the death of a process is reported once with its last output, and the rest of its group is ended', async () => {
  const { processes, shell, deaths, death } = newSetup()
  await processes.start('mortal', shell('sleep 1000 & echo "cannot go on"; exit 3'))
  const pid = processes.pids.mortal ?? 0
  await death
  expect(deaths).toEqual(['mortal: ended with code 3: cannot go on'])
  expect(processes.pids).toEqual({})
  await eventually('nothing of its group runs', () => expect(groupOf(pid)).toEqual([]))
})

test('a command that fails throws its own output; one that succeeds returns it', async () => {
  const { processes, shell } = newSetup()
  expect(await processes.run(shell('cat'), 'given on standard input')).toBe('given on standard input')
  await expect(processes.run(shell('echo "no such workspace" >&2; exit 1'))).rejects.toThrow('no such workspace')
  await expect(processes.run({ ...shell(''), command: ['/nowhere/at/all'] })).rejects.toThrow('ENOENT')
})

test('a command that is running when the demo ends is ended, and nothing is started after it', async () => {
  const { processes, shell } = newSetup()
  const running = processes.run(shell('sleep 1000')).catch((error: Error) => error.message)
  await processes.end()
  expect(await running).toContain('SIGTERM')
  await expect(processes.start('late', shell('sleep 1000'))).rejects.toThrow()
})

describe('a program of the demo that needs a port', () => {
  /** Starts a program that listens on a port, and waits until it does. */
  const listens = async ({ processes, folder }: ReturnType<typeof newSetup>, port: number) => {
    const code = `require('node:net').createServer().listen(${port}, '127.0.0.1', () => console.log('ready'))`
    await processes.start('server', { command: [process.execPath, '-e', code], cwd: folder, env: process.env })
    await processes.hears('server', /^ready$/m, 60)
  }

  test('is started on another port if the first one was taken in the meantime', async () => {
    const setup = newSetup()
    const usual = await freePort()
    const tried: number[] = []
    const port = await onFreePort(usual, async (free) => {
      tried.push(free)
      if (free === usual) {
        const other = createServer().listen(free, '127.0.0.1')
        onTestFinished(() => void other.close())
        await once(other, 'listening')
      }
      await listens(setup, free)
      return free
    })
    expect(tried).toEqual([usual, port])
    expect(port).not.toBe(usual)
    expect(Object.keys(setup.processes.pids)).toEqual(['server'])
  })

  test('is not started again if it ends for another reason, and its last words are in the error', async () => {
    const { processes, shell } = newSetup()
    const tried: number[] = []
    const started = onFreePort(await freePort(), async (free) => {
      tried.push(free)
      await processes.start('server', shell('echo no disk; exit 1'))
      await processes.hears('server', /^ready$/m, 60)
    })
    await expect(started).rejects.toThrow(EndedEarly)
    await expect(started).rejects.toThrow('no disk')
    expect(tried).toHaveLength(1)
  })
})
