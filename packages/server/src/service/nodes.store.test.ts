import { expect, test } from 'vitest'
import { send, startService, type TestService } from '../../testing/service.ts'
import { newPostgresDatabase } from '../../testing/stores.ts'
import { newClock, newTestWorkspace } from '../../testing/test-workspace.ts'
import { openAuth } from '../people/accounts/auth.ts'
import { decideWithAccounts, type PeopleDeps } from '../people/accounts/library.ts'
import { insertPerson } from '../people/accounts/store.ts'
import { createWorkspace } from '../people/workspaces/store.ts'
import { openPostgres, type Store } from '../platform/db/open.ts'
import { newId } from '../platform/ids.ts'
import { eraseLogs, timeOutCommands } from './sweeper/rounds.ts'

async function twoNodes(): Promise<[Store, Store, () => Promise<void>]> {
  const url = await newPostgresDatabase()
  const [first, second] = [openPostgres(url), openPostgres(url)]
  return [first, second, async () => void (await Promise.all([first.close(), second.close()]))]
}

test('two nodes that sweep at the same time time out every command once, and erase every log (D2, PostgreSQL)', async () => {
  const [first, second, close] = await twoNodes()
  const w = await newTestWorkspace(first)
  const agents = Array.from({ length: 1200 }, (_, i) => ({
    id: `agent ${i}`,
    workspace_id: w.workspace.id,
    name: `agent-${i}`,
    token_hash: `hash ${i}`,
    created_at: 0,
    created_by: null,
    blueprint: null,
  }))
  await first.db.insertInto('agent').values(agents).execute()
  const command = { type: 'pause', payload: '{}', state: 'queued', created_at: 0, created_by_name: 'Ada' } as const
  const due = agents.map(({ id }) => ({ ...command, id: newId(1), agent_id: id, due_at: 600_000 }))
  await first.db.insertInto('command').values(due).execute()
  const log = { name: 'work', received_at: 0, bytes: 1, expires_at: 5, text: 'x' }
  const logs = due.slice(0, 100).map(({ id, agent_id }) => ({ ...log, id: newId(1), agent_id, command_id: id }))
  await first.db.insertInto('log').values(logs).execute()

  const rounds = await Promise.all(
    [first, second, first, second].map((store) => timeOutCommands(store, 600_000, () => undefined)),
  )
  await Promise.all([eraseLogs(first, 600_000), eraseLogs(second, 600_000)])
  const timedOut = rounds.flat().map(({ id }) => id)
  expect(timedOut).toHaveLength(1200)
  expect(new Set(timedOut).size).toBe(1200)
  const states = await first.db.selectFrom('command').select('state').distinct().execute()
  expect(states).toEqual([{ state: 'expired' }])
  expect(await first.db.selectFrom('log').selectAll().execute()).toEqual([])
  await close()
})

test('an agent that uses two nodes may report at least 60 and at most 120 times a minute (D16, PostgreSQL)', async () => {
  const [first, second, close] = await twoNodes()
  const w = await newTestWorkspace(first)
  const clock = newClock()
  const nodes = [await startService(first, { now: clock.now }), await startService(second, { now: clock.now })]
  const statuses: number[] = []
  for (let i = 0; i < 140; i++) {
    const node = nodes[i % 3 === 0 ? 0 : 1] as TestService
    statuses.push((await send(node, { token: w.agent.token, body: '{"protocol":1}' })).status)
  }
  const through = statuses.filter((status) => status === 200).length
  expect(through).toBeGreaterThanOrEqual(60)
  expect(through).toBeLessThanOrEqual(120)
  expect(statuses.filter((status) => status === 429)).toHaveLength(140 - through)
  for (const node of nodes) await node.stop()
  await close()
})

test('when several take one name at the same time on two nodes, one gets it and the others are refused (PostgreSQL)', async () => {
  const [first, second, close] = await twoNodes()
  const people = [first, second].map((store) => {
    const auth = openAuth(store, { baseUrl: 'http://localhost', secret: 'the same on every node'.padEnd(32) })
    return { store, auth }
  })
  const by = { id: null, name: 'operator' }
  const each = <T>(act: (node: PeopleDeps) => Promise<T>) =>
    Promise.all(Array.from({ length: 8 }, (_, i) => act(people[i % 2] as PeopleDeps)))
  const codes = (all: { ok: boolean; code?: string }[]) => all.map((one) => (one.ok ? 'made' : one.code)).sort()

  const workspaces = await each((node) =>
    createWorkspace({ people: node, by, now: 1 }, { slug: 'north', name: 'North' }),
  )
  expect(codes(workspaces)).toEqual(['made', ...Array(7).fill('slug_taken')])
  const person = { email: 'ada@example.org', name: 'Ada', hash: 'hash' }
  const persons = await each((node) =>
    decideWithAccounts(node, (trx, accounts) => insertPerson({ db: trx, by, now: 1 }, accounts, person)),
  )
  expect(codes(persons)).toEqual(Array(7).fill('email_taken').concat('made'))
  await close()
})
