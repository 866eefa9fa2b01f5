/** Tests that what is shown or sent about an open alert is true at that moment, without a write for each change. */
import type { RuleName } from '@svc/api'
import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { baseUrl, saidIn, watched } from '../../../testing/watched.ts'
import { renameAgent } from '../../fleet/agents/store.ts'
import { acknowledgeAlert } from '../changes/acknowledging.ts'
import { listAlerts } from '../changes/listing.ts'
import { setRule } from '../changes/rules.ts'

const backup = (detail: string) => ({
  state: { level: 'bad', label: 'jobs' },
  health: [{ name: 'Job backup', level: 'bad', detail }],
})
const items = (...names: string[]) => ({
  state: { level: 'bad', label: 'jobs' },
  health: names.map((name) => ({ name, level: 'bad' })),
})
const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `Job ${from + i}`)

/** Each rule whose words an agent chooses: two reports, and what the alert says after each. */
const worded: readonly [rule: RuleName, item: string | null, first: object, then: object, words: [string, string]][] = [
  [
    ...(['bad', null] as const),
    { state: { level: 'bad', label: '2 mails failed' } },
    { state: { level: 'bad', label: '15 mails failed' } },
    ['2 mails failed', '15 mails failed'],
  ],
  [
    ...(['warning', null] as const),
    { state: { level: 'warn', label: '90% used' } },
    { state: { level: 'warn', label: '95% used' } },
    ['90% used', '95% used'],
  ],
  [
    ...(['item', 'Job backup'] as const),
    backup('failed 2 times in a row'),
    backup('failed 15 times in a row'),
    ['failed 2 times in a row', 'failed 15 times in a row'],
  ],
  [
    ...(['item', '*'] as const),
    items(...numbered(1, 6)),
    items(...numbered(1, 9)),
    ['Job 5', 'Job 5, Job 6, Job 7 and 1 more'],
  ],
  [
    ...(['binding', null] as const),
    { health: [{ name: 'Binding mail', level: 'bad' }] },
    { health: ['mail', 'tasks'].map((name) => ({ name: `Binding ${name}`, level: 'bad' })) },
    ['mail', 'mail, tasks'],
  ],
  [
    ...(['gauge', null] as const),
    { gauges: [{ name: 'disk', used: 9, limit: 10, mark: 8 }] },
    { gauges: ['cpu', 'disk'].map((name) => ({ name, used: 9, limit: 10, mark: 8 })) },
    ['disk', 'cpu, disk'],
  ],
]

/** Lets a quarter of an hour pass in which nobody reports. */
const silence = async ({ w, lives }: Awaited<ReturnType<typeof watched>>) => {
  await lives(1)
  w.clock.pass(13 * 60)
  await lives(1)
}

onEveryEngine('what an open alert says', (open) => {
  test.each(worded)('the rule %s, item %s, says what the agent says now', async (rule, item, first, then, words) => {
    const { w, db, lives, report, turnsOn, lines, changes, ctx } = await watched(await open())
    for (const name of ['bad', 'item'] as const) await setRule(ctx(), w.workspace, { rule: name, on: name === rule })
    await turnsOn(rule)
    const of = async () =>
      (await lines()).find(({ rule: of, subject }) => of === rule && (subject.item ?? null) === item)
    const version = async () => (await db.selectFrom('alert').select('version').execute()).map((row) => row.version)
    await lives(1, first)
    expect((await of())?.label).toBe(words[0])
    await changes()
    const before = await version()
    await lives(1, then)
    expect((await of())?.label).toBe(words[1])
    expect([await changes(), await version()]).toEqual([[], before])
    await acknowledgeAlert(ctx(), w.workspace, { id: (await of())?.id ?? '', note: undefined, baseUrl })
    expect((await changes()).map(({ type, label }) => [type, label])).toEqual([['alert.acknowledged', words[1]]])
    await report({ state: { level: 'ok' }, health: [], gauges: [] })
    expect((await of())?.label).toBeNull()
  })

  test('a reminder says what the agent says at its time', async () => {
    const { w, lives, changes } = await watched(await open())
    await lives(3, backup('failed 2 times in a row'))
    expect((await changes()).map(({ label }) => label)).toEqual(['failed 2 times in a row'])
    w.clock.pass(3600)
    await lives(1, backup('failed 15 times in a row'))
    expect((await changes()).map(({ type, label }) => [type, label])).toEqual([
      ['alert.reminder', 'failed 15 times in a row'],
    ])
  })

  test('an alert about many agents says how many of them are still offline', async () => {
    const all = await watched(await open())
    const { w, lives, lines, changes, report, ctx } = all
    const others = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => w.addAgent(name)))
    await lives(1, { state: { level: 'ok' } }, [w.agent, ...others])
    await silence(all)
    const offline = async () => (await lines()).map(({ agents }) => [agents?.names.length, agents?.offline])
    expect(await offline()).toEqual([[6, 6]])
    expect((await changes()).map(saidIn)).toEqual([
      expect.stringMatching(/^opened: 6 of 6 agents have been offline for /),
    ])
    for (const agent of [w.agent, ...others.slice(0, 4)]) await report({}, agent)
    expect(await offline()).toEqual([[6, 1]])
    const [line] = await lines()
    await acknowledgeAlert(ctx(), w.workspace, { id: line?.id ?? '', note: undefined, baseUrl })
    expect((await changes()).map(saidIn)).toEqual([
      expect.stringMatching(
        /^acknowledged: Ada acknowledged: 6 of 6 agents went offline at .*, and 1 of them still is$/,
      ),
    ])
  })

  test('a renamed agent has its present name in every place that names an alert', async () => {
    const all = await watched(await open())
    const { w, lives, lines, changes, ctx, db } = all
    const others = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => w.addAgent(name)))
    await lives(3, { state: { level: 'bad' } }, [w.agent, ...others])
    await silence(all)
    await changes()
    await renameAgent(ctx(), w.agent, 'post')
    const listed = await listAlerts(db, w.workspace, { all: false, limit: 9 })
    expect(listed.map(({ subject }) => subject.name)).toContain('post')
    expect(listed.map(({ subject }) => subject.name)).not.toContain('mail-triage')
    const own = (await lines()).find(({ agent }) => agent === 'post')
    await acknowledgeAlert(ctx(), w.workspace, { id: own?.id ?? '', note: undefined, baseUrl })
    const [said] = await changes()
    expect(said).toMatchObject({ subject: { name: 'post' }, url: `${baseUrl}/w/north/agents/post` })
    expect((await lines()).flatMap(({ agents }) => agents?.names ?? [])).toContain('post')
  })
})
