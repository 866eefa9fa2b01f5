/**
 * Tests that the demo leaves no process and no folder behind, however it ends. `npm test` leaves this out. The demo is
 * not a part of the product.
 */
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, watch } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { askOperator } from '../../packages/server/testing/operator.ts'
import { Demo, livingProcesses, processesUsing } from '../../testing/demo.ts'
import { eventually } from '../../testing/eventually.ts'
import { byLevel, level } from '../../testing/level.ts'
import { within } from '../../testing/within.ts'
import { namePrefix } from './fleet/members.ts'

/** Resolves when the folder no longer exists. The function watches the folder above it. */
async function removed(folder: string) {
  const above = watch(tmpdir())
  while (existsSync(folder)) await within(() => `the removal of ${folder}`, once(above, 'change'))
  above.close()
}

/**
 * Each way to kill the demo: words for the name of the test, and the agents whose runtimes are killed too. The short
 * form of the test runs only the first way, after which most processes are left.
 */
const ways: readonly (readonly [how: string, names: readonly string[]])[] = [
  [
    'killed with -9 together with the runtimes, whose agents keep running',
    ['machine-watch', 'git-reader', 'link-checker', 'coder-simulated'],
  ],
  ['killed with -9', []],
]
const fleet = byLevel(20, 20, 1000)
test.each(level === 'long' ? ways : ways.slice(0, 1))(
  'a demo with a fleet that reports, %s, leaves nothing',
  async (_how, names) => {
    const demo = new Demo({}, '--agents', String(fleet))
    const ready = await demo.ready()
    const outcome = await askOperator({
      ...{ dataDir: join(ready.dir, 'data'), cwd: ready.dir },
      args: ['agent', 'list', ready.workspace],
    })
    const agents = (outcome?.ok ? outcome.value : []) as { name: string; seenAt: number | null }[]
    const simulated = agents.filter(({ name }) => name.startsWith(namePrefix))
    expect(simulated).toHaveLength(fleet)
    expect(simulated.filter(({ seenAt }) => seenAt !== null).length).toBe(fleet - Math.round(fleet / 100))
    expect(livingProcesses(ready)).toContain('fleet')
    const gone = removed(ready.dir)
    for (const name of names) process.kill(ready.pids[`${name} runtime`] ?? 0, 'SIGKILL')
    demo.child.kill('SIGKILL')
    for (const name of names) expect(processesUsing(join(ready.dir, 'agents', name, 'versions'))).not.toEqual([])
    await gone
    // The demo's guard first removes the folder and then ends, so its process may still run for a moment.
    await eventually('nothing uses the folder', () => expect(processesUsing(ready.dir)).toEqual([]))
    expect(livingProcesses(ready)).toEqual([])
  },
)

test('a port in use is reported, and nothing is left', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = String(typeof address === 'object' && address?.port)
  const own = mkdtempSync(join(tmpdir(), 'svc-demo-test-'))
  onTestFinished(() => rmSync(own, { recursive: true }))
  const demo = new Demo({ TMPDIR: own }, '--port', port)
  const [code] = await once(demo.child, 'close')
  expect(code).toBe(1)
  expect(demo.said).toContain(`port ${port} is taken`)
  expect(readdirSync(own)).toEqual([])
})
