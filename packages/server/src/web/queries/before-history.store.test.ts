/**
 * Opens the data that commit 42315f3d wrote, the last one that kept no pauses, no times offline and no sums of deleted
 * agents, and reads states, changes and costs with this version.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atTestEnd } from '../../../../../testing/cleaning.ts'
import { restored, unpacked } from '../../../testing/earlier/restored.ts'
import { reporting } from '../../../testing/reporting.ts'
import { newClock, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { deleteAgent } from '../../fleet/agents/store.ts'
import { accountTables } from '../../people/accounts/auth.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { openEmbedded, openPostgres, type Store } from '../../platform/db/open.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { boundHistories } from '../../service/sweeper/history.ts'
import { readHistoryChanges } from './changes.ts'
import { costRows } from './costs.ts'
import { agentStates, statesSince } from './states.ts'

const kept = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../testing/earlier/before-history/kept.json'), 'utf8'),
) as {
  now: number
  start: number
  workspace: string
  agents: Record<'mail-triage' | 'quiet', { id: string; token: string }>
}
const minute = 60_000
const by = { id: null, name: 'operator' }

/** Opens the data on each engine. Both have the same rows. */
const engines: readonly (readonly [engine: string, open: () => Promise<Store>])[] = [
  [
    'SQLite',
    async () => {
      const place = mkdtempSync(join(tmpdir(), 'svc-before-history-'))
      atTestEnd.push(() => rmSync(place, { recursive: true, force: true }))
      writeFileSync(join(place, 'svc.db'), unpacked('before-history/svc.db.gz'))
      return openEmbedded(join(place, 'svc.db'))
    },
  ],
  ['PostgreSQL', async () => openPostgres(await restored('before-history/postgres.sql.gz'))],
]

test.each(engines)('states, changes and costs of the version before are right, and go on (%s)', async (_, open) => {
  const store = await open()
  atTestEnd.push(() => store.close())
  await migrate(store, accountTables(store))
  const { db } = store
  const clock = newClock(kept.now)
  const agentOf = (name: keyof typeof kept.agents) => ({ ...kept.agents[name], name, workspaceId: kept.workspace })
  const [mail, quiet] = [agentOf('mail-triage'), agentOf('quiet')]
  const w = { store, clock, agent: mail, workspace: { id: kept.workspace } } as unknown as TestWorkspace
  const { report } = reporting(w)
  const agent = await db.selectFrom('agent').selectAll().where('id', '=', mail.id).executeTakeFirstOrThrow()
  const states = async (of: { id: string }) =>
    (await agentStates(db, of, { since: kept.start, until: clock.now(), now: clock.now() })).map(
      ({ from, is, level }) => [(from - kept.start) / minute, is, level],
    )
  // The time offline from 2.5 minutes on is not known: the page says since when such times are kept.
  const before = [
    [0, 'reporting', 'ok'],
    [1, 'reporting', 'bad'],
    [11, 'paused', 'info'],
  ]
  expect(await states(mail)).toEqual(before)
  expect(await statesSince(db, agent)).toBeGreaterThan(kept.now)
  // The pause of the other agent did not change its level, so the version before wrote no row.
  expect(await states(quiet)).toEqual([[0, 'reporting', 'info']])
  await boundHistories(db, '', clock.now())
  clock.pass(10)
  await report({ state: { level: 'info', label: 'Paused' } }, { agent: quiet })
  expect(await states(quiet)).toEqual([
    [0, 'reporting', 'info'],
    [11.5, 'paused', 'info'],
  ])

  clock.pass(590)
  await report({ state: { level: 'ok', label: 'Idle' } }, { agent: mail })
  await report({ state: { level: 'info', label: 'Idle' } }, { agent: quiet })
  clock.pass(60)
  expect(await states(mail)).toEqual([...before, [13, 'offline', 'info'], [21.5, 'reporting', 'ok']])
  expect((await states(quiet)).slice(1)).toEqual([
    [11.5, 'paused', 'info'],
    [11.5 + 10 / 60 + 1.5, 'offline', 'info'],
    [21.5, 'reporting', 'info'],
  ])
  const asked = { since: kept.start, until: clock.now(), limit: 100, now: clock.now() }
  const changes = (await readHistoryChanges(db, agent, asked)).map(({ at, what, to }) => [
    (at - kept.start) / minute,
    what,
    to,
  ])
  expect(changes).toEqual([
    [0, 'level', 'ok'],
    [1, 'level', 'bad'],
    [11, 'level', 'info'],
    [11, 'paused', true],
    [13, 'offline', true],
    [21.5, 'level', 'ok'],
    [21.5, 'paused', false],
    [21.5, 'offline', false],
  ])

  // The version before lost the costs of the agent that it deleted; this one keeps those of the next.
  const today = dayNumber(kept.start)
  const costs = async () => {
    const question = { from: today, to: today, by: 'day', per: 'agent' } as const
    return (await costRows(db, w.workspace, question, clock.now())).map(({ name, cost, runs }) => [name, cost, runs])
  }
  expect(await costs()).toEqual([
    ['mail-triage', 2, 1],
    ['quiet', 1, 1],
  ])
  expect(await deleteAgent({ db, by, now: clock.now() }, mail)).toMatchObject({ ok: true })
  expect(await costs()).toEqual([
    ['(deleted)', 2, 1],
    ['quiet', 1, 1],
  ])
})
