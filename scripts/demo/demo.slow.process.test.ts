/**
 * Tests the whole demo: the service, the product, four agents installed with codes, their runtimes, what is
 * added later, and a clean end. `npm test` leaves this out. The demo is not a part of the product.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { askOperator } from '../../packages/server/testing/operator.ts'
import { streamOf } from '../../packages/server/testing/page/stream.ts'
import { Demo, livingProcesses, processesUsing, type ReadyDemo } from '../../testing/demo.ts'
import { eventually } from '../../testing/eventually.ts'

const root = join(import.meta.dirname, '../..')
const minute = { seconds: 60, everyMs: 1000 }
const longer = { seconds: 90, everyMs: 1000 }

async function operator<T>({ dir }: ReadyDemo, ...args: string[]): Promise<T> {
  const outcome = await askOperator({ dataDir: join(dir, 'data'), cwd: root, args })
  if (!outcome?.ok) throw new Error(`svc-server ${args.join(' ')}: ${outcome?.message ?? 'no service runs'}`)
  return outcome.value as T
}

/**
 * Signs in with the demo's link and opens the stream of each agent's page. An agent whose page is open reports every 5
 * s instead of every 30 s.
 */
async function watchAll({ url, link, workspace }: ReadyDemo): Promise<void> {
  const token = /token=([\w-]+)/.exec(link)?.[1]
  const headers = { origin: url, 'content-type': 'application/json' }
  const signedIn = await fetch(`${url}/api/web/link`, { method: 'POST', headers, body: JSON.stringify({ token }) })
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  for (const name of Object.keys(signs)) await streamOf(`${url}/api/web/w/${workspace}/events?agent=${name}`, cookie)
}

/**
 * For each agent of the demo, the name of a health item that the agent's program reports. A runtime alone never reports
 * such an item.
 */
const signs = {
  'machine-watch': 'Load',
  'git-reader': 'Repository',
  'link-checker': 'Links',
  'coder-simulated': 'Models',
}

interface Shown {
  seenAt?: number | string | null
  report?: {
    state?: { label?: string }
    health?: { name: string; level: string }[]
    active?: { model?: string }[]
    runs?: { started?: number; cost_usd?: number }[]
    settings?: { values?: Record<string, unknown> }
  } | null
  blueprint?: string | null
}

test('four installed agents are shown, obey the page, one works on the product, an alert opens and ends at the terminal, rollouts and jobs are shown, and Ctrl-C leaves no process and no folder, not even after a runtime was killed', async () => {
  const demo = new Demo({})
  const ready = await demo.ready()
  expect(Object.keys(ready.pids)).toEqual(
    expect.arrayContaining(['service', 'tasks', 'machine-watch', 'git-reader runtime', 'link-checker', 'demo']),
  )
  await watchAll(ready)
  const show = (name: string) => operator<Shown>(ready, 'agent', 'show', `${ready.workspace}/${name}`)
  for (const [name, sign] of Object.entries(signs))
    await eventually(
      `${name} reports ${sign}`,
      async () => expect((await show(name)).report?.health?.map((item) => item.name) ?? []).toContain(sign),
      minute,
    )
  const reader = await show('git-reader')
  expect([reader.blueprint, reader.report?.settings?.values?.folder]).toEqual(['git-reader', root])
  const { runs = [] } = (await show('coder-simulated')).report ?? {}
  await eventually(
    'coder-simulated works, also after it went back from a version that does not start',
    async () => {
      const { active = [] } = (await show('coder-simulated')).report ?? {}
      expect(active.map(({ model }) => model)).toEqual([expect.stringContaining('simulated')])
    },
    longer,
  )
  const costly = runs.filter(({ cost_usd = 0 }) => cost_usd > 0).map(({ started = 0 }) => Math.floor(started / 86_400))
  expect(new Set(costly).size).toBeGreaterThan(7)
  const codes = await operator<{ state: string; agentName: string }[]>(ready, 'code', 'list', ready.workspace)
  expect(codes.map((c) => `${c.agentName} ${c.state}`).sort()).toEqual(
    Object.keys(signs)
      .map((name) => `${name} redeemed`)
      .sort(),
  )

  const tasks = async () => (await (await fetch(ready.product)).text()).match(/(Open|Done) \(\d+\)/g)
  await eventually('one task is open', async () => expect(await tasks()).toEqual(['Open (1)', 'Done (0)']), minute)
  await demo.hears('UTC: Links on link-checker is bad')
  writeFileSync(join(ready.dir, 'documents/holidays.md'), '')
  await operator(ready, 'command', 'send', `${ready.workspace}/link-checker`, 'run_now')

  await operator(ready, 'command', 'send', `${ready.workspace}/machine-watch`, 'pause')
  await eventually(
    'machine-watch is paused',
    async () => expect((await show('machine-watch')).report?.state?.label).toBe('Paused'),
    longer,
  )
  await eventually('the task is done', async () => expect(await tasks()).toEqual(['Open (0)', 'Done (1)']), minute)
  const binding = async () =>
    (await show('link-checker')).report?.health?.find((h) => h.name === 'Binding tasks')?.level
  await eventually('the binding of link-checker is OK', async () => expect(await binding()).toBe('ok'), longer)

  await demo.hears('UTC: Links on link-checker was bad')

  await demo.hears('UTC: Job certificates on vela-jobs is bad')
  await demo.hears('coder-simulated could not be updated: 1.1.0 was rolled back')
  await demo.hears('The rollout of simulated-worker@1.6.0 is halted')
  await eventually(
    'a rollout is in its second wave, and another one has halted in its first',
    async () => {
      const rollouts = await operator<{ version: string; state: string; wave: number }[]>(
        ready,
        ...['rollout', 'list', ready.workspace],
      )
      expect(rollouts.map(({ version, state, wave }) => `${version} ${state} ${wave}`).sort()).toEqual([
        '1.5.0 running 2',
        '1.6.0 halted 1',
      ])
    },
    longer,
  )

  const page = await fetch(ready.link, { redirect: 'manual' })
  expect(page.status).toBeLessThan(400)

  // An agent's program keeps running when its runtime is killed. Ctrl-C on the demo must end that program too.
  process.kill(ready.pids['git-reader runtime'] ?? 0, 'SIGKILL')
  await demo.hears('git-reader runtime was ended by SIGKILL')
  expect(livingProcesses(ready)).toContain('git-reader')
  expect(await demo.end()).toBe(0)
  expect(existsSync(ready.dir)).toBe(false)
  expect(processesUsing(ready.dir)).toEqual([])
  expect(livingProcesses(ready)).toEqual([])
}, 240_000)
