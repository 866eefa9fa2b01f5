/**
 * Deletes a workspace of many agents while they report, and kills the service twenty times meanwhile. `npm test` leaves
 * this out. packages/server/src/people/workspaces/delete.store.test.ts proves the same rules.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { byLevel } from '../../../../../testing/level.ts'
import { makeManyAgents } from '../../../testing/many-agents.ts'
import { newServiceHome, report, type ServiceHome } from '../../../testing/service-process.ts'

const kills = 20
const agents = byLevel(500, 500, 2000)
const [runsEach, logsEach] = [20, 2]
const secretLine = 'a line of a log that nobody may read'
/** The maximum time of the test in milliseconds, long enough for a busy machine. */
const patience = 900_000

test(
  'a workspace is deleted while its agents report: they get 401 at once, and nothing is left after twenty kills',
  async () => {
    const home = await newServiceHome()
    const [north, south] = [await fleet(home, 'north', agents), await fleet(home, 'south', 3)]
    let service = await home.start()
    await Promise.all(Array.from({ length: 8 }, (_, i) => inTurn(home, [...north, ...south], i)))
    const database = new DatabaseSync(join(home.dataDir, 'svc.db'), { timeout: 10_000 })
    onTestFinished(() => {
      if (database.isOpen) database.close()
    })
    await service.kill()
    addLogs(database)
    const ids = idsOf(database, 'north')
    const ofSouth = rowsOf(database, 'south')
    service = await home.start()

    const sent = reportsOf(home, north)
    await eventually('agents report', () => expect(sent.statuses()).toContain(200))
    await home.value(['workspace', 'delete', 'north', '--yes'])
    sent.begin()
    await eventually('agents are refused', () => expect(sent.statuses()).toContain(401))
    const left: number[] = []
    for (let kill = 0; kill < kills; kill++) {
      const before = sizeOf(database)
      await eventually('some rows are erased', () => expect(sizeOf(database)).toBeLessThan(before), {
        seconds: 60,
        everyMs: 20,
      })
      await service.kill('SIGKILL')
      left.push(sizeOf(database))
      service = await home.start()
    }
    expect(left.at(-1)).toBeGreaterThan(0)
    expect(left.toSorted((a, b) => b - a)).toEqual(left)
    await eventually('nothing is left', () => expect(sizeOf(database)).toBe(0), { seconds: 300, everyMs: 1000 })
    expect(await sent.end()).toEqual([401])
    expect(found(database, ids)).toEqual({})
    expect(rowsOf(database, 'south')).toEqual(ofSouth)
    expect((await report(home.url, south[0] ?? '')).status).toBe(200)
    expect(await home.value<{ slug: string }[]>(['workspace', 'list'])).toMatchObject([{ slug: 'south' }])
    database.close()
    expect(await service.kill()).toBe(0)
    expect(readFileSync(join(home.dataDir, 'svc.db')).includes(secretLine)).toBe(false)
  },
  patience,
)

/** Makes an activated workspace with agents, and returns their tokens. */
async function fleet(home: ServiceHome, slug: string, size: number): Promise<string[]> {
  const all = Array.from({ length: size }, (_, i) => ({ name: `agent-${i}`, tags: [] }))
  const { env, folder: cwd } = home
  const tokens = await makeManyAgents({ env, cwd, workspace: { slug, name: slug }, agents: all, limit: size }, () => {})
  await home.value(['workspace', 'activate', slug, 'svc'])
  return tokens
}

/** Sends a report with runs for every eighth agent. */
async function inTurn(home: ServiceHome, tokens: readonly string[], first: number): Promise<void> {
  const runs = Array.from({ length: runsEach }, (_, i) => ({
    id: `run-${i}`,
    started: 1_790_000_000 + i,
    status: 'ok',
  }))
  for (let i = first; i < tokens.length; i += 8)
    expect((await report(home.url, tokens[i] ?? '', { state: { level: 'ok', label: 'Works' }, runs })).status).toBe(200)
}

function addLogs(database: DatabaseSync): void {
  const log = database.prepare(`insert into log (id, agent_id, command_id, name, received_at, bytes, expires_at, text)
    select agent.id || ' log ' || ?, agent.id, agent.id || ' command ' || ?, 'work', ?, ?, ?, ? from agent
    join workspace on workspace.id = workspace_id where slug = 'north'`)
  const text = `${secretLine}\n`.repeat(200)
  for (let i = 0; i < logsEach; i++) log.run(i, i, Date.now(), text.length, Date.now() + 86_400_000, text)
}

/**
 * Lets agents report one after another, again and again, also while the service is down. The statuses are those of the
 * reports since the last call of `begin`.
 */
function reportsOf({ url }: ServiceHome, tokens: readonly string[]) {
  let seen = new Set<number>()
  let ended = false
  const work = async (first: number) => {
    for (let i = first; !ended; i += 4) {
      const into = seen
      await report(url, tokens[i % tokens.length] ?? '').then(
        ({ status }) => into.add(status),
        () => sleep(50),
      )
      await sleep(20)
    }
  }
  const workers = [0, 1, 2, 3].map(work)
  const end = async () => {
    ended = true
    await Promise.all(workers)
    return [...seen]
  }
  onTestFinished(() => void end())
  return {
    statuses: () => [...seen],
    begin: () => {
      seen = new Set()
    },
    end,
  }
}

const number = (database: DatabaseSync, text: string): number => Number(database.prepare(text).get()?.n)

/** The number of rows that are left of the deleted workspace, in the tables that have many. */
const sizeOf = (database: DatabaseSync): number =>
  number(
    database,
    `select (select count(*) from run join agent on agent.id = agent_id join workspace_deleted using (workspace_id))
      + (select count(*) from log join agent on agent.id = agent_id join workspace_deleted using (workspace_id))
      + (select count(*) from agent join workspace_deleted using (workspace_id))
      + (select count(*) from workspace_deleted) as n`,
  )

/** The ids of a workspace and of its agents. */
function idsOf(database: DatabaseSync, slug: string): Set<string> {
  const rows = database
    .prepare(
      `select id from workspace where slug = ?1 union all
       select agent.id from agent join workspace on workspace.id = workspace_id where slug = ?1`,
    )
    .all(slug)
  return new Set(rows.map(({ id }) => String(id)))
}

const rowsOf = (database: DatabaseSync, slug: string): number[] =>
  ['run', 'log', 'agent_report'].map((table) =>
    number(
      database,
      `select count(*) as n from ${table} join agent on agent.id = agent_id
        join workspace on workspace.id = workspace_id where slug = '${slug}'`,
    ),
  )

/** The rows of all tables that name one of these ids, by table. */
function found(database: DatabaseSync, ids: ReadonlySet<string>): Record<string, string[]> {
  const names = database.prepare("select name from sqlite_master where type = 'table'").all()
  const all: Record<string, string[]> = {}
  for (const name of names.map((row) => String(row.name))) {
    const rows = database
      .prepare(`select * from "${name}"`)
      .all()
      .map((row) => JSON.stringify(row))
    const some = rows.filter((row) => (row.match(/[\w-]{20,}/g) ?? []).some((word) => ids.has(word)))
    if (some.length > 0) all[name] = some
  }
  return all
}
