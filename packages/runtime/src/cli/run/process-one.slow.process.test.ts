/**
 * Tests commands that last as process 1 of a container, where the kernel drops signals that have no handler. `npm test`
 * leaves this out. It starts programs in namespaces of their own, which needs root.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { programs } from '../../../../../testing/program.ts'
import { agentFolder, type Running, starts } from '../../../testing/folder.ts'
import { json, startService } from '../../../testing/service.ts'

const inside = ['--pid', '--fork', '--mount-proc', '--kill-child']
const hasNamespaces = spawnSync('unshare', [...inside, 'true']).status === 0
if (!hasNamespaces)
  process.stderr.write('NOT TESTED: commands as process 1, since this user may not make a namespace of processes\n')

const manifest = `name: mail
version: 1.0.0
status: state/status.json
runtime: {kind: process, command: [sleep, '1000']}
`

/** Starts a command in the folder of an agent, as process 1 of namespaces of its own. */
async function asProcessOne(command: readonly string[]): Promise<{ running: Running; pid: number }> {
  const service = await startService()
  service.usual = json({ commands: [], interval: 5 })
  const agent = agentFolder({ 'svc.agent.yaml': manifest }, service.origin)
  const file = [...inside, process.execPath, programs.svc]
  const watching = join(agent.root, 'watcher.cjs')
  writeFileSync(watching, watcher)
  const running = starts(agent, command, {
    ...{ node: 'unshare', file, scale: 0.05 },
    env: { NODE_OPTIONS: `--require=${watching}` },
  })
  onTestFinished(async () => {
    await running.end('SIGKILL')
    agent.remove()
    await service.close()
  })
  return { running, pid: await eventually('process 1 runs', () => processOneOf(running)) }
}

/** The id, outside of its namespace, of the process that `unshare` has started. Throws before it has. */
function processOneOf({ child: { pid } }: Running): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  if (children === '') throw new Error('unshare has started nothing yet')
  return Number(children)
}

/**
 * Code that runs before the program. It says how many modules of Node are loaded whenever a handler of SIGTERM is set.
 */
const watcher = `
const { on } = process
process.on = function (signal, ...rest) {
  if (signal === 'SIGTERM') require('node:fs').writeSync(2, 'handler after ' + process.moduleLoadList.length + '\\n')
  return on.call(this, signal, ...rest)
}`

describe.skipIf(!hasNamespaces)('as process 1', () => {
  test('svc run says that an init is missing, and SIGTERM ends the agent and then it', async () => {
    const { running, pid } = await asProcessOne(['run'])
    await running.said('This is process 1 of its container')
    await running.said('started')
    process.kill(pid, 'SIGTERM')
    expect(await running.end('SIGCONT')).toEqual({ code: 0, signal: null })
  })

  test.each([['run'], ['report'], ['watch'], ['exec', 'trial', '--', 'sleep', '1000']])(
    'svc %s has a handler of signals before its code is loaded',
    async (...command) => {
      const { running } = await asProcessOne(command)
      const counts = await eventually('it has a handler of its own as well', () => {
        const found = running.lines.flatMap((line) => /^handler after (\d+)$/.exec(line)?.[1] ?? []).map(Number)
        if (found.length < 2) throw new Error('not yet')
        return found
      })
      expect(counts[0]).toBeLessThan(counts[1] ?? 0)
    },
  )

  test('a second signal ends svc report at once', async () => {
    const { running, pid } = await asProcessOne(['report'])
    await eventually('it has handlers of its own', () => {
      const caught = BigInt(`0x${/^SigCgt:\s*(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]}`)
      if ((caught & 1n) === 0n) throw new Error('not yet') // SIGHUP has the number 1
    })
    process.kill(pid, 'SIGTERM')
    process.kill(pid, 'SIGINT')
    expect(await running.end('SIGCONT')).toEqual({ code: 137, signal: null })
  })
})
