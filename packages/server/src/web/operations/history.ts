/** Carries out the operations about what was before: states and changes of agents, and the costs of a workspace. */
import { type CostSplit, type CostStep, history } from '@svc/api'
import { dayOf } from '../../platform/limits/units.ts'
import { Refusal } from '../../platform/refusal.ts'
import { sharedAnswers } from '../live/shared.ts'
import { changesOf } from '../queries/changes.ts'
import { costRuns } from '../queries/cost-runs.ts'
import type { CostQuestion } from '../queries/cost-sums.ts'
import { costCsv, costPage, costRows } from '../queries/costs.ts'
import { fitting, jsonBytes } from '../queries/fitting.ts'
import { agentStates, fleetAt, trendOf } from '../queries/states.ts'
import { stripsOf } from '../queries/strips.ts'
import { maxListBytes } from '../routing/bounded.ts'
import { looks } from '../routing/operations.ts'

const bytes = new TextEncoder()
/** The milliseconds for which an answer about costs is kept: it is read from the sums of all agents. */
const keptMs = 60_000
/** The maximum number of these answers, of all workspaces together; each has at most a megabyte. */
const maxKept = 64
const kept = sharedAnswers(() => performance.now(), keptMs, maxKept)

interface Asked {
  from?: number
  to?: number
  by?: CostStep
  per?: CostSplit
}

const questionOf = (asked: Asked, now: number): CostQuestion => ({
  ...history.costTime(asked, dayOf(now)),
  by: asked.by ?? 'day',
  per: asked.per,
})

/** The JSON of an answer about a workspace, made at most a minute ago. */
const keptJson = (workspace: { id: string }, asked: readonly unknown[], make: () => Promise<unknown>) =>
  kept.of(JSON.stringify([workspace.id, ...asked]), async () => {
    const json = bytes.encode(JSON.stringify(await make()))
    if (json.length > maxListBytes) throw new Refusal('costs_too_many')
    return json
  })

/** The newest rows that fit into an answer, from rows that begin with the oldest. */
const newestThatFit = <T>(rows: readonly T[]): T[] =>
  fitting(rows.toReversed(), (row) => jsonBytes(row) + 1, maxListBytes - 1024).toReversed()

export const historyOperations = [
  looks(history.states, async ({ deps, agent, now }, asked) => {
    const { since, until } = history.askedTime(asked, now)
    const spans = await agentStates(deps.store.db, agent, since, until)
    const newest = newestThatFit(spans)
    const [first] = newest
    if (first === undefined || newest.length === spans.length) return newest
    return [{ from: since, until: first.from, is: 'unknown', level: null, label: null }, ...newest]
  }),
  looks(history.changes, async ({ deps, agent, now }, { limit = history.listedChanges.usual, ...asked }) =>
    newestThatFit(await changesOf(deps.store.db, agent, { ...history.askedTime(asked, now), limit, now })),
  ),
  looks(history.fleetAt, ({ deps, workspace, now }, asked) =>
    fleetAt(deps.store.db, workspace, history.askedMoment(asked, now), asked.level),
  ),
  looks(history.strips, ({ deps, workspace, now }, { names }) => stripsOf(deps.store.db, workspace, names, now)),
  looks(history.trend, ({ deps, agent, now }, { days = '1' }) => trendOf(deps.store.db, agent, Number(days), now)),
  looks(history.cost, ({ deps: { store }, workspace, now }, asked) => {
    const question = questionOf(asked, now)
    return keptJson(workspace, ['rows', question], () => costRows(store.db, workspace, question, now))
  }),
  looks(history.exportCost, async ({ deps: { store }, workspace, now }, asked) => {
    const { from, to, ...split } = questionOf(asked, now)
    const pieces = costCsv(store.db, workspace, { from, to, ...split }, now)
    // The sums are read before the answer begins, so that a refusal has its status.
    const first = await pieces.next()
    const headers = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${workspace.slug}-cost-${history.dayText(from)}-${history.dayText(to)}.csv"`,
    }
    return new Response(streamOf(first.value ?? '', pieces), { headers })
  }),
  looks(history.costPage, ({ deps: { store }, workspace, now }, asked) => {
    const question = questionOf(asked, now)
    return keptJson(workspace, ['page', question], () => costPage(store.db, workspace, question, now))
  }),
  looks(history.costRuns, ({ deps: { store }, workspace, now }) =>
    keptJson(workspace, ['runs'], () => costRuns(store.db, workspace, now)),
  ),
]

const streamOf = (first: string, rest: AsyncGenerator<string>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (stream) => stream.enqueue(bytes.encode(first)),
    async pull(stream) {
      const { value, done } = await rest.next()
      if (done) stream.close()
      else stream.enqueue(bytes.encode(value))
    },
  })
