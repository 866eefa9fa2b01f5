/** Tests the search for an agent's processes with real processes, each of which is a special case. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { becomes } from '../../../testing/folder.ts'
import { signalGroup } from './group.ts'
import { identityOf } from './identity.ts'
import { agentProcesses, createMarkCheck, signalProcess } from './mark.ts'

let above: string
let dir: string
beforeEach(() => {
  above = realpathSync(mkdtempSync(join(tmpdir(), 'svc-mark-')))
  dir = join(above, 'agent')
  mkdirSync(dir)
  afterThisTest(() => rmSync(above, { recursive: true, force: true }))
})

/** Starts a process as a runtime starts an agent. */
function marked(command: readonly string[], folder = dir): ChildProcess & { pid: number } {
  const [program = '', ...args] = command
  const env = { ...process.env, SVC_AGENT_DIR: folder, SVC_AGENT_STARTED: '1763000000.000' }
  const child = spawn(program, args, { detached: true, stdio: 'ignore', env })
  const { pid = 0 } = child
  afterThisTest(() => signalGroup(pid, 'SIGKILL'))
  return Object.assign(child, { pid })
}
const pids = () => agentProcesses(dir).map(({ pid }) => pid)
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

test('a process is found with its start and its command, also if the folder is named through a link', () => {
  symlinkSync(dir, join(above, 'link'))
  const [one, two] = [marked(['sleep', '1000']), marked(['sleep', '1001'], join(above, 'link'))]
  expect(agentProcesses(dir)).toMatchObject([
    { pid: one.pid, group: one.pid, started: '1763000000.000', command: 'sleep 1000' },
    { pid: two.pid, command: 'sleep 1001' },
  ])
  expect(agentProcesses(join(above, 'link')).map(({ pid }) => pid)).toEqual([one.pid, two.pid])
  expect(agentProcesses(above)).toEqual([])
})

test('a process that was found is no longer one of the agent once it has removed its mark', async () => {
  const unset = 'env -u SVC_AGENT_DIR -u SVC_AGENT_STARTED'
  const file = join(above, 'go')
  const { pid } = marked(['sh', '-c', `until [ -e ${file} ]; do sleep 0.05; done; exec ${unset} sleep 1000`])
  const [found] = await becomes('the process', () => {
    const all = agentProcesses(dir).filter((each) => each.pid === pid)
    return all.length > 0 && all
  })
  const isStill = createMarkCheck(dir)
  if (!found) throw new Error('The process was not found.')
  expect(isStill(found)).toBe(true)
  writeFileSync(file, '')
  await becomes('a process without a mark', () => !isStill(found))
  expect(identityOf(pid)).toEqual({ pid: found.pid, start: found.start })
})

test('a zombie is not found, and its parent is', async () => {
  const parent = marked(['sh', '-c', 'sleep 0 & exec sleep 1000'])
  await becomes('a zombie', () => childrenOf(parent.pid).some((pid) => identityOf(pid) === undefined))
  expect(pids()).toEqual([parent.pid])
})

test('a process in the session of a stranger is not found', async () => {
  const stranger = spawn('sh', ['-c', 'export SVC_AGENT_DIR=$0 SVC_AGENT_STARTED=1.000; sleep 1000; true', dir], {
    detached: true,
    stdio: 'ignore',
  })
  afterThisTest(() => signalGroup(stranger.pid ?? 0, 'SIGKILL'))
  await becomes('its child', () => childrenOf(stranger.pid ?? 0).length > 0)
  expect(pids()).toEqual([])
})

test('a process is found although the process that opened its session has overwritten its environment', async (context) => {
  if (spawnSync('perl', ['-e', '1']).status !== 0) return context.skip('NOT TESTED: there is no perl')
  const leader = marked(['perl', '-e', '$0 = "t" x 20000; system("sleep", "1000"); 1'])
  const [child] = await becomes('its child', () => childrenOf(leader.pid).length > 0 && childrenOf(leader.pid))
  await becomes('its title', () => !readFileSync(`/proc/${leader.pid}/environ`, 'utf8').includes('SVC_AGENT_DIR'))
  // Until it executes its program, the child has a copy of the memory of its parent.
  expect(await becomes('a child that is found', () => pids().length > 0 && pids())).toEqual([child])
})

test('a container that has another folder at the path of the agent is not found', async (context) => {
  const works = spawnSync('unshare', ['-m', 'true']).status === 0
  if (!works) return context.skip('NOT TESTED: this user may not make a mount namespace')
  const other = join(above, 'other')
  mkdirSync(other)
  const mounts = marked(['unshare', '-m', 'sh', '-c', 'mount --bind "$0" "$1" && exec sleep 1000', other, dir])
  const same = marked(['unshare', '-m', 'sleep', '1000'])
  await becomes('both', () =>
    [mounts, same].every(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep')),
  )
  expect(pids()).toEqual([same.pid])
})

test('a signal is not sent to another process that has the pid by now', async () => {
  const child = marked(['sleep', '1000'])
  const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
  const [found] = agentProcesses(dir)
  if (!found) throw new Error('The process was not found.')
  signalProcess({ ...found, start: `${found.start}0` }, 'SIGKILL')
  signalProcess(found, 'SIGTERM')
  expect(await ended).toBe('SIGTERM')
})
