/**
 * Measures what the deletion of a workspace costs everybody else, on the embedded database: a large workspace whose
 * agents have old runs and logs is deleted while all of them report, and the agents of another workspace report, too.
 * Says how soon the service refuses the agents, how long everything takes to be erased, and the longest turn of the
 * event loop.
 *
 *   npm run bench -- deletion [--agents 2000] [--runs 100] [--logs 2] [--seconds 30]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { hashToken } from '../packages/server/src/platform/tokens.ts'
import { askOperator } from '../packages/server/testing/operator.ts'
import { atExit } from '../testing/at-exit.ts'
import { tokenOf } from './common/fleet.ts'
import { type Service, startService, workspace } from './common/service.ts'
import { count, fixed, table } from './common/table.ts'
import { longestTurn, notingTurns, recordingsFolder } from './common/turns.ts'
import { quantile } from './fleet/counts.ts'
import { type Load, startLoad, type Window, window } from './fleet/load.ts'

/** The milliseconds that a turn of the event loop may take while a workspace is deleted. */
const maxTurn = 50
/** The number of agents of the other workspace. */
const others = 200
/** The bytes of each log, as an agent sends the end of a file. */
const logBytes = 64 * 1024
/** The seconds between two reports of an agent. */
const interval = 10
const warmSeconds = 20
const connections = 64

interface DeletionMeasurement extends Window {
  turn: { time: number; work: number }
}

export async function benchDeletion(args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      agents: { type: 'string', default: '2000' },
      runs: { type: 'string', default: '100' },
      logs: { type: 'string', default: '2' },
      seconds: { type: 'string', default: '30' },
    },
  })
  const [agents = 0, runs = 0, logs = 0, seconds = 0] = [values.agents, values.runs, values.logs, values.seconds].map(
    Number,
  )
  const folder = mkdtempSync(join(recordingsFolder, 'svc-bench-deletion-'))
  atExit(() => rmSync(folder, { recursive: true, force: true }))
  const turns = join(folder, 'turns')
  const service = await startService(agents + others, { env: notingTurns(turns), oldRuns: runs })
  const database = new DatabaseSync(service.file, { timeout: 5000 })
  separate(database, agents, logs)
  const load = await startLoad({ port: service.port, agents: agents + others, connections, interval })
  try {
    await sleep(warmSeconds * 1000)
    console.error('deletion: without')
    const quiet = await measureDuring(load, service, turns, seconds)
    console.error('deletion: the workspace is deleted')
    const from = performance.now()
    let refusedAfter = 0
    const beside = await measureDuring(load, service, turns, async () => {
      await deleteWorkspace(service)
      refusedAfter = performance.now() - from
      await untilErased(database)
    })
    const erasedAfter = (performance.now() - from) / 1000
    const { work } = beside.turn
    return [
      `${count(agents)} agents with ${runs} old runs and ${logs} logs of ${logBytes / 1024} KB each, and ${others} agents of another workspace; all report every ${interval} s on ${connections} kept connections.`,
      table(
        [
          '',
          'seconds',
          'reports/s',
          'p50 ms',
          'p99 ms',
          'longest turn ms',
          'most CPU of a turn ms',
          'cores',
          'refused (401)',
        ],
        [rowOf('without', quiet), rowOf('deletion', beside)],
      ),
      `The command returned after ${fixed(refusedAfter, 0)} ms, and ${count(rowsOf(database, 'agent'))} agents were left in the tables after ${fixed(erasedAfter)} s. A turn may take ${maxTurn} ms of CPU: the most was ${fixed(work)} ms${work > maxTurn ? ' (ABOVE)' : ''}.`,
    ].join('\n\n')
  } finally {
    database.close()
    await load.stop()
    await service.stop()
  }
}

/**
 * Moves the last agents to another workspace, and adds logs to those of the first one. None of them has reported yet.
 */
function separate(database: DatabaseSync, agents: number, logs: number): void {
  const first = database.prepare('select id, "createdAt" as created from workspace where slug = ?').get(workspace)
  database.exec('begin immediate')
  database
    .prepare('insert into workspace (id, name, slug, "createdAt") values (?, ?, ?, ?)')
    .run('another', 'Another', 'another', String(first?.created))
  database.exec(`insert into workspace_product (workspace_id, product_id, activated_at)
    select 'another', product_id, activated_at from workspace_product`)
  const move = database.prepare("update agent set workspace_id = 'another' where token_hash = ?")
  for (let i = agents; i < agents + others; i++) move.run(hashToken(tokenOf(i)))
  const log = database.prepare(`insert into log (id, agent_id, command_id, name, received_at, bytes, expires_at, text)
    select id || ' log ' || ?, id, id || ' command ' || ?, 'work', ?, ?, ?, ? from agent where workspace_id = ?`)
  const now = Date.now()
  for (let i = 0; i < logs; i++)
    log.run(i, i, now, logBytes, now + 86_400_000, 'line of a log\n'.repeat(logBytes / 14), String(first?.id))
  database.exec('commit')
}

async function deleteWorkspace({ file }: Service): Promise<void> {
  const dataDir = dirname(file)
  const outcome = await askOperator({ dataDir, cwd: dataDir, args: ['workspace', 'delete', workspace, '--yes'] })
  if (!outcome?.ok) throw new Error(`The workspace was not deleted: ${outcome?.message}`)
}

/** Waits until nothing of a deleted workspace is left. */
async function untilErased(database: DatabaseSync): Promise<void> {
  while (rowsOf(database, 'workspace_deleted') > 0) await sleep(500)
}

const rowsOf = (database: DatabaseSync, name: string): number =>
  Number(database.prepare(`select count(*) as n from ${name}`).get()?.n)

async function measureDuring(
  load: Load,
  { pid }: Service,
  turns: string,
  during: Parameters<typeof window>[2],
): Promise<DeletionMeasurement> {
  const from = Date.now()
  const measured = await window(load, pid, during)
  return { ...measured, turn: longestTurn(turns, from) }
}

const rowOf = (what: string, { counts, seconds, cpu, turn }: DeletionMeasurement) => [
  what,
  fixed(seconds),
  count(counts.answered / seconds),
  fixed(quantile(counts, 0.5)),
  fixed(quantile(counts, 0.99)),
  fixed(turn.time),
  fixed(turn.work),
  fixed(cpu / seconds, 2),
  count(counts.errors['401'] ?? 0),
]
