/**
 * Tests that a service which is killed while it queues the commands of an action loses none and doubles none. `npm
 * test` leaves this out. packages/server/src/updates/actions/actions.store.test.ts proves the same rules.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { ActionPage } from '@svc/api'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { offering } from '../../../testing/service.ts'
import {
  newServiceHome,
  populate,
  report,
  type ServiceHome,
  type ServiceProcess,
} from '../../../testing/service-process.ts'
import { newPostgresDatabase } from '../../../testing/stores.ts'
import { databaseFile } from '../../platform/data-folder.ts'
import { openEmbedded, openPostgres, type Store } from '../../platform/db/open.ts'

const agents = 5_000
const kills = 20
const rowsAtOnce = 500
/** The maximum time for a test in milliseconds, long enough for a busy machine. */
const patience = 900_000

/** Makes the folders of the nodes that share a database, and a function that opens it beside them. */
const engines: readonly (readonly [name: string, make: () => Promise<[ServiceHome[], () => Store]>])[] = [
  [
    'SQLite',
    async () => {
      const home = await newServiceHome()
      return [[home], () => openEmbedded(databaseFile(home.dataDir))]
    },
  ],
  [
    'two nodes on PostgreSQL',
    async () => {
      const url = await newPostgresDatabase()
      const homes = [await newServiceHome({ SVC_DATABASE_URL: url }), await newServiceHome({ SVC_DATABASE_URL: url })]
      for (const { dataDir } of homes) {
        mkdirSync(dataDir)
        writeFileSync(join(dataDir, 'secret'), 'the same secret on every one of the nodes')
      }
      return [homes, () => openPostgres(url)]
    },
  ],
]

test.each(engines)(
  'a service that is killed twenty times while it queues 5,000 commands loses none and doubles none (%s)',
  async (_engine, make) => {
    const [homes, open] = await make()
    const [first] = homes as [ServiceHome]
    const { token, email, password } = await populate(first)
    const running = new Map<ServiceHome, ServiceProcess>([[first, await first.start()]])
    expect((await report(first.url, token, offering)).status).toBe(200)
    await running.get(first)?.kill()
    running.clear()
    const store = open()
    onTestFinished(() => store.close())
    const names = await copyAgent(store)

    const sessions = new Map<ServiceHome, string>()
    const nodeOf = async (kill: number): Promise<ServiceHome> => {
      for (const home of homes) if (!running.has(home)) running.set(home, await home.start())
      return homes[kill % homes.length] as ServiceHome
    }
    const call = async <T>(home: ServiceHome, method: string, path: string, body?: object): Promise<T> => {
      const cookie = sessions.get(home) ?? (await signIn(home.url, email, password))
      sessions.set(home, cookie)
      const headers = { cookie, origin: home.url, 'content-type': 'application/json' }
      const sent = body ? { method, headers, body: JSON.stringify(body) } : { method, headers }
      const answer = await fetch(`${home.url}/api/web/w/north/${path}`, sent)
      if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`)
      return (await answer.json()) as T
    }

    let actions = 0
    let unanswered = 0
    for (let kill = 0, left = 0; kill < kills; ) {
      const home = await nodeOf(kill)
      // An action that still has unsent commands is continued by the sweeper. Otherwise the next action is sent.
      if (left === 0) {
        const values = { every: ++actions }
        call(home, 'POST', 'actions', { type: 'set', agents: names, values }).catch(() => unanswered++)
      }
      const before = left
      const changed = async () => {
        left = await restOf(store)
        expect(left).not.toBe(before)
      }
      await eventually('some commands of an action are queued', changed, { everyMs: 5 })
      if (left === 0) continue
      // The moment differs from kill to kill, so that it falls into different steps of a slice.
      await wait((kill % 5) * 4)
      await running.get(home)?.kill('SIGKILL')
      running.delete(home)
      left = await restOf(store)
      if (left > 0) kill++
    }

    const home = await nodeOf(0)
    await eventually('every command is queued', async () => expect(await restOf(store)).toBe(0), { seconds: 60 })
    const { db } = store
    const commands = await db.selectFrom('command').select(['agent_id', 'payload']).execute()
    const pairs = new Set(commands.map(({ agent_id, payload }) => `${agent_id} ${payload}`))
    const made = await db.selectFrom('action').select('id').execute()
    expect(made.length).toBe(actions)
    expect([pairs.size, commands.length]).toEqual([actions * agents, actions * agents])
    for (const { id } of made)
      expect((await call<ActionPage>(home, 'GET', `actions/${id}`)).counts).toMatchObject({ waiting: agents })
    expect(unanswered).toBeLessThanOrEqual(actions)
  },
  patience,
)

/** Copies the only agent, with its report, until there are enough. Returns the names of the copies. */
async function copyAgent({ db }: Store): Promise<string[]> {
  const one = await db.selectFrom('agent').selectAll().executeTakeFirstOrThrow()
  const its = await db.selectFrom('agent_report').selectAll().executeTakeFirstOrThrow()
  const names = Array.from({ length: agents }, (_, i) => `a-${i}`)
  for (let i = 0; i < agents; i += rowsAtOnce) {
    const piece = names.slice(i, i + rowsAtOnce)
    const copies = piece.map((name) => ({ ...one, id: `id-${name}`, name, token_hash: name }))
    await db.insertInto('agent').values(copies).execute()
    const reports = piece.map((name) => ({ ...its, agent_id: `id-${name}` }))
    await db.insertInto('agent_report').values(reports).execute()
  }
  return names
}

/** The number of agents of all actions that have neither a command nor an outcome. */
async function restOf({ db }: Store): Promise<number> {
  const { rest } = await db
    .selectFrom('action_agent')
    .select((eb) => eb.fn.countAll<number>().as('rest'))
    .where('command_id', 'is', null)
    .where('outcome', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(rest)
}

async function signIn(url: string, email: string, password: string): Promise<string> {
  const answer = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0]
  if (cookie === undefined) throw new Error(`Signing in answered ${answer.status}: ${await answer.text()}`)
  return cookie
}
