import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { submission } from '../../../testing/reporting.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { openReportStore } from '../../agent-api/open.ts'
import {
  type AgentRows,
  noWrites,
  type ReportDecision,
  type ReportWrites,
  type RunWrite,
} from '../../agent-api/report-store/rows.ts'
import { newRunCells, reportCells } from '../../agent-api/report-store/written.ts'
import { type DescribedTable, tableColumnsOf } from '../../platform/db/tables/described.ts'
import * as tables from '../../platform/db/tables/reports.ts'
import type { ReportWrite } from './stored.ts'

/**
 * Stores one report as if the rules had decided on the given writes. Returns the rows that were read for the report.
 */
async function writes(
  w: TestWorkspace,
  write: Partial<ReportWrites>,
  parts: object = {},
): Promise<AgentRows | undefined> {
  let read: AgentRows | undefined
  const given = { ...noWrites, ...write }
  const judged = (rows: AgentRows | undefined): ReportDecision => {
    read = rows
    return { ok: true, workspaceId: w.workspace.id, write: given, claimed: [], answer: {} }
  }
  await openReportStore(w.store, judged)([submission(w, parts)], w.clock.now(), () => undefined)
  return read
}

/** Reads the only row of a table with plain SQL. */
async function rowIn({ store }: TestWorkspace, table: string): Promise<Record<string, unknown>> {
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(store.db)
  expect(rows, table).toHaveLength(1)
  return { ...rows[0] }
}

/**
 * Makes a row that has a different value in each column that is not `known`: a number counted from `from`, or a text
 * with the column's name.
 */
function distinct<R>({ columns }: DescribedTable, known: Record<string, unknown>, from: number): R {
  const values = Object.entries(columns).map(([name, { kind }], i) => [
    name,
    name in known ? known[name] : kind === 'bigint' ? from + i : `${name} ${from}`,
  ])
  return Object.fromEntries(values) as R
}

const without = <R extends object>(row: R, ...names: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

onBothEngines('the writes of a report', (open) => {
  test('each value of a report and of a run gets into its own column, in a new row and in a changed one', async () => {
    const w = await newTestWorkspace(await open())
    const agent_id = w.agent.id
    const [report, next] = [100, 200].map((from) => distinct<ReportWrite>(tables.agentReport, { agent_id }, from))
    const run = distinct<RunWrite & { seq: number }>(tables.run, { agent_id, seq: 1 }, 300)
    await writes(w, { report, newRuns: [run] })
    expect(await rowIn(w, 'agent_report')).toEqual(report)
    expect(await rowIn(w, 'run')).toEqual(run)

    const changed = { ...distinct<typeof run>(tables.run, { agent_id, seq: 1 }, 400) }
    const read = await writes(w, { report: next, changedRuns: [changed] }, { runs: [{ id: run.id }] })
    expect(read?.last).toEqual(
      pick(report, ['received_at', 'interval_s', 'stopped', 'level', 'boot', 'seq', 'reporters', 'runs_kept']),
    )
    expect(read?.usage).toBe(report?.usage)
    expect(read?.runs.get(run.id)).toEqual(pick(run, ['seq', 'place', 'body', 'cost_micro', 'output_tokens']))
    expect(await rowIn(w, 'agent_report')).toEqual(next)
    const stays = pick(run, ['id', 'place', 'first_seen'])
    expect(await rowIn(w, 'run')).toEqual({ ...changed, ...stays })
  })

  test('the bytes of a body are stored as a text, in a new row and in a changed one', async () => {
    const w = await newTestWorkspace(await open())
    for (const json of [`{"a":"${'x'.repeat(300_000)}"}`, '{"a":"Größe €👍"}']) {
      const body = new TextEncoder().encode(json)
      await writes(w, { report: { ...distinct<ReportWrite>(tables.agentReport, { agent_id: w.agent.id }, 100), body } })
      expect((await rowIn(w, 'agent_report')).body).toBe(json)
    }
  })

  test('each value of the agent, a command, the sums and the history lines gets into its own column', async () => {
    const w = await newTestWorkspace(await open())
    const agent_id = w.agent.id
    const known = { agent_id, type: 'run_now', state: 'queued' }
    await w.store.db
      .insertInto('command')
      .values(distinct(tables.command, known, 400))
      .execute()
    const before = { agent: await rowIn(w, 'agent'), command: await rowIn(w, 'command') }
    const agent = distinct<NonNullable<ReportWrites['agent'] & ReportWrites['wishes']>>(tables.agent, {}, 500)
    const command = distinct<ReportWrites['commands'][number]>(tables.command, { id: before.command.id }, 600)
    const levelChange = distinct<NonNullable<ReportWrites['levelChange']>>(tables.levelChange, {}, 700)
    const change = distinct<ReportWrites['machineChanges'][number]>(tables.machineChange, {}, 800)
    const note = {
      at: 900,
      of: 'of',
      kind: 'kind',
      version: 'v',
      from: 'f',
      message: 'm',
      by: 'b',
      rollout: 'r',
      since: 901,
    }
    const read = await writes(w, {
      agent,
      wishes: agent,
      commands: [command],
      levelChange,
      machineChanges: [change],
      updateEvents: [note as unknown as ReportWrites['updateEvents'][number]],
      usage: [{ day: 20_000, model: '', runs: 11, costMicro: 12, outputTokens: 13 }],
    })
    expect(read?.commands).toEqual([without(before.command, 'agent_id', 'created_by', 'created_by_name')])
    const reported = pick(agent, ['facts', 'reported_version', 'previous_version', 'attempts'])
    const wished = pick(agent, ['wishes', 'wished_version', 'runtime_wished', 'runtime_granted_at'])
    expect(await rowIn(w, 'agent')).toEqual({ ...before.agent, ...reported, ...wished })
    const settled = ['state', 'delivered_at', 'failed_at', 'answered_at', 'message', 'due_at'] as const
    expect(await rowIn(w, 'command')).toEqual({ ...before.command, ...pick(command, settled) })
    expect(await rowIn(w, 'level_change')).toEqual({ ...levelChange, seq: 1, agent_id })
    expect(await rowIn(w, 'machine_change')).toEqual({ ...change, seq: 1, agent_id })
    expect(await rowIn(w, 'usage_day')).toEqual({
      ...{ agent_id, day: 20_000, model: '', runs: 11 },
      ...{ cost_micro: 12, output_tokens: 13 },
    })
    expect(await rowIn(w, 'update_event')).toEqual({
      ...{ seq: 1, agent_id, at: 900, subject: 'of', kind: 'kind', version: 'v', from_version: 'f', message: 'm' },
      ...{ by_name: 'b', rollout_id: 'r', since: 901 },
    })

    const again = await writes(w, {})
    expect(again).toMatchObject({ workspaceId: w.workspace.id, tokenHash: before.agent.token_hash, last: undefined })
    expect(again).toMatchObject(pick(agent, ['facts', 'wishes', 'attempts']))
    expect(again?.versions).toMatchObject({ reported: agent.reported_version, previous: agent.previous_version })
  })
})

const pick = <R extends object>(row: R | undefined, names: readonly (keyof R)[]) =>
  Object.fromEntries(names.map((name) => [name, row?.[name]]))

test('every column of a report and of a run is in its list', () => {
  const all = ({ columns }: DescribedTable) => Object.keys(columns).sort()
  expect(['agent_id', ...tableColumnsOf(tables.agentReport, reportCells)].sort()).toEqual(all(tables.agentReport))
  expect(['agent_id', 'seq', ...tableColumnsOf(tables.run, newRunCells)].sort()).toEqual(all(tables.run))
})

test('a list that names a column twice, or an unknown one, makes no statement', () => {
  expect(() => tableColumnsOf(tables.run, ({ id }) => [id, id])).toThrow('No list of columns of run: id, id.')
  expect(() => tableColumnsOf(tables.run, () => ['ids'])).toThrow('No list of columns of run: ids.')
})
