/**
 * Measures what the evaluation of alerts costs: the CPU time of one round over all agents of a workspace, and of the
 * longest turn of the event loop in it. The limit for comparison is one SQL statement that reads the four columns by
 * which most rules are judged. No agent sends reports: each round gets the time as an argument. Also times the
 * migration that adds the tables of alerts, and how soon messages leave while other receivers hang (alerts/sending.ts).
 *
 *   npm run bench -- alerts [--agents 50000] [--rounds 5] [--seconds 180]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { evaluateScope } from '../packages/server/src/alerts/evaluation/evaluate.ts'
import { scopeOf } from '../packages/server/src/alerts/scope.ts'
import { accountTables } from '../packages/server/src/people/accounts/auth.ts'
import { migrate } from '../packages/server/src/platform/db/migrate.ts'
import { openEmbedded, type Store } from '../packages/server/src/platform/db/open.ts'
import { newId } from '../packages/server/src/platform/ids.ts'
import { addWorkspace } from '../packages/server/testing/test-workspace.ts'
import { benchSending } from './alerts/sending.ts'
import { bodyOf, tokenOf } from './common/fleet.ts'
import { count, fixed, table } from './common/table.ts'
import { median } from './common/times.ts'

/**
 * The limits that a result must keep: the milliseconds that a turn of the event loop may take, and the share of a core
 * that the evaluation of alerts may take if there is a round every 15 s.
 */
const maxTurn = 10
const maxShare = 0.03
const roundSeconds = 15

type EmbeddedStore = Extract<Store, { engine: 'sqlite' }>

interface Fleet {
  store: EmbeddedStore
  /** Evaluates all alert rules for all agents, as if the current time were `now`. */
  evaluate: (now: number) => Promise<unknown>
  start: number
}

interface Round {
  cpu: number
  turn: number
}

/**
 * The states of the fleet that are measured, one after the other. Each function brings the fleet into one state and
 * returns the time at which the rounds of evaluation begin.
 */
const scenes: readonly [says: string, happens: (fleet: Fleet) => number][] = [
  ['not one has reported since the upgrade', ({ start }) => start],
  ['every agent reports and is well', ({ store, start }) => knowSigns(store, start)],
  ['every agent has signs of rules that are off', ({ store, start }) => knowSigns(store, start, '{"started":1}')],
  ['one in a hundred is bad', ({ store, start }) => turnBad(store, start)],
  ['every agent goes offline at once', ({ start }) => start + 12 * 60_000],
  ['every agent has been offline for long', ({ start }) => start + 60 * 60_000],
]

export async function benchAlerts(args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      agents: { type: 'string', default: '50000' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '180' },
    },
  })
  const [agents, rounds] = [Number(values.agents), Number(values.rounds)]
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-alerts-'))
  const store = openEmbedded(join(folder, 'svc.db')) as EmbeddedStore
  try {
    const fleet = await seed(store, agents)
    const migrated = await timeMigration(store)
    const limit = limitOf(store)
    const rows: (string | number)[][] = []
    for (const [says, happens] of scenes) {
      console.error(`alerts: ${says}`)
      const now = happens(fleet)
      const measured: Round[] = []
      for (let round = 0; round < rounds; round++)
        measured.push(await measure(() => fleet.evaluate(now + round * roundSeconds * 1000)))
      const [first, rest] = [measured[0], measured.slice(1)]
      const cpu = median(rest.map((one) => one.cpu))
      const share = cpu / 1000 / roundSeconds
      rows.push([
        says,
        fixed(first?.cpu ?? 0, 0),
        fixed(cpu, 0),
        `${fixed(cpu / limit)} ×`,
        `${fixed(share * 100, 2)} %${share > maxShare ? ' (ABOVE)' : ''}`,
        fixed(Math.max(...measured.map(({ turn }) => turn))),
      ])
    }
    console.error('alerts: receivers hang')
    const sending = await benchSending(store, Number(values.seconds))
    const columns = ['fleet', 'CPU ms, first round', 'CPU ms, later', '÷ limit', 'of a core', 'longest turn, CPU ms']
    return [
      `${count(agents)} agents of one workspace, reports of 3 KB, ${rounds} rounds each; the median of the later ones.`,
      table(columns, rows),
      `The limit, one statement that reads four columns of every agent, takes ${fixed(limit, 0)} ms. A later round may take ${maxShare * 100} % of a core, a turn ${maxTurn} ms. The migration of this fleet to the tables of alerts took ${fixed(migrated, 0)} ms.`,
      sending,
    ].join('\n\n')
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function seed(store: EmbeddedStore, agents: number): Promise<Fleet> {
  const start = Date.now()
  await migrate(store, accountTables(store))
  const workspace = await addWorkspace(store, 'bench', true, start)
  const agent = store.sqlite.prepare(
    'insert into agent (id, workspace_id, name, token_hash, created_at, facts) values (?, ?, ?, ?, ?, ?)',
  )
  const report = store.sqlite.prepare(`insert into agent_report
    (agent_id, received_at, level, label, controls, interval_s, reporters, runs_kept, body) values (?, ?, 'ok', 'Working', '[]', 30, ?, 3, ?)`)
  const reporters = '0123abcd'.repeat(10)
  store.sqlite.exec('begin')
  for (let i = 0; i < agents; i++) {
    const id = newId(start)
    agent.run(id, workspace.id, `agent-${i}`, tokenOf(i), start, '{"paused":false}')
    report.run(id, start, reporters, bodyOf(i, i))
  }
  store.sqlite.exec('commit')
  const place = { ...scopeOf(workspace), slug: 'bench', active: true }
  return { store, start, evaluate: (now) => evaluateScope(store, place, { baseUrl: 'https://svc.example.org', now }) }
}

/**
 * Turns the database into one from before alerts existed, and returns the milliseconds that the migration to the
 * current version takes.
 */
async function timeMigration(store: EmbeddedStore): Promise<number> {
  const tables = store.sqlite
    .prepare("select name from sqlite_master where type = 'table' and name like 'alert%'")
    .all()
  store.sqlite.exec('pragma foreign_keys = off')
  for (const name of [...tables.map((row) => String(row.name)), 'agent_hours', 'service_backup', 'account_mail'])
    store.sqlite.exec(`drop table ${name}`)
  store.sqlite.exec(`alter table agent drop column signs; alter table agent_report drop column signs;
    delete from kysely_migration where name >= '012'; pragma foreign_keys = on; pragma wal_checkpoint(truncate)`)
  const from = performance.now()
  await migrate(store, accountTables(store))
  return performance.now() - from
}

function knowSigns({ sqlite }: EmbeddedStore, start: number, signs = ''): number {
  sqlite.prepare('update agent_report set signs = ?').run(signs)
  return start
}

function turnBad({ sqlite }: EmbeddedStore, start: number): number {
  sqlite.exec(`update agent_report set level = 'bad' where rowid % 100 = 0`)
  return start
}

/**
 * The limit to compare with: the CPU time in milliseconds of one statement that reads the four columns by which most
 * rules are judged. It is the lowest of five runs.
 */
function limitOf({ sqlite }: EmbeddedStore): number {
  const statement = sqlite.prepare(
    'select received_at, interval_s, level, warnings from agent join agent_report on agent_id = agent.id order by workspace_id, name',
  )
  statement.setReturnArrays(true)
  const times = Array.from({ length: 5 }, () => {
    const from = process.threadCpuUsage()
    statement.all()
    const { user, system } = process.threadCpuUsage(from)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

/** Measures the CPU time of a call in this thread: the total, and the maximum in one turn of the event loop. */
async function measure(act: () => Promise<unknown>): Promise<Round> {
  const from = process.threadCpuUsage()
  let [before, turn, on] = [from, 0, true]
  const watch = () => {
    const { user, system } = process.threadCpuUsage(before)
    turn = Math.max(turn, (user + system) / 1000)
    before = process.threadCpuUsage()
    if (on) setImmediate(watch)
  }
  setImmediate(watch)
  await act()
  on = false
  const { user, system } = process.threadCpuUsage(from)
  return { cpu: (user + system) / 1000, turn }
}
