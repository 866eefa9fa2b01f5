/** Carries out the operations about the past: states and changes of agents, and the costs of a workspace. */
import { type CostSplit, type CostStep, history } from '@svc/api'
import { listedChanges } from '@svc/api/left-off'
import { dayNumber } from '../../platform/limits/units.ts'
import { readHistoryChanges } from '../queries/changes.ts'
import { costRuns } from '../queries/cost-runs.ts'
import type { CostQuestion } from '../queries/cost-sums.ts'
import { costCsv, costPage, costRows } from '../queries/costs.ts'
import { fleetAt } from '../queries/fleet-states.ts'
import { agentStates } from '../queries/states.ts'
import { readStrips } from '../queries/strips.ts'
import { agentTrend } from '../queries/trend.ts'
import { bindReading } from '../routing/operations.ts'
import { keptAnswerBytes, listJson } from './kept-costs.ts'

interface Asked {
  from?: number
  to?: number
  by?: CostStep
  per?: CostSplit
}

const questionOf = (asked: Asked, now: number): CostQuestion => ({
  ...history.costTime(asked, dayNumber(now)),
  by: asked.by ?? 'day',
  per: asked.per,
})

export const historyOperations = [
  bindReading(history.states, ({ deps, agent, now }, asked) =>
    agentStates(deps.store.db, agent, { ...history.askedTime(asked, now), now }),
  ),
  bindReading(history.changes, ({ deps, agent, now }, { limit = listedChanges.default, ...asked }) =>
    readHistoryChanges(deps.store.db, agent, { ...history.askedTime(asked, now), limit, now }),
  ),
  bindReading(history.fleetAt, ({ deps, workspace, now }, asked) =>
    fleetAt(deps.store.db, workspace, { at: history.askedMoment(asked, now), now, level: asked.level }),
  ),
  bindReading(history.strips, ({ deps, workspace, now }, { names }) =>
    readStrips(deps.store.db, workspace, names, now),
  ),
  bindReading(history.trend, ({ deps, agent, now }, { days = '1' }) =>
    agentTrend(deps.store.db, agent, Number(days), now),
  ),
  bindReading(history.cost, ({ deps: { store }, workspace, now }, asked) => {
    const question = questionOf(asked, now)
    return keptAnswerBytes('json', workspace, ['rows', question], async function* () {
      yield* listJson(workspace, await costRows(store.db, workspace, question, now))
    })
  }),
  bindReading(history.exportCost, async ({ deps: { store }, workspace, now }, asked) => {
    const question = questionOf(asked, now)
    const { from, to } = question
    const csv = await keptAnswerBytes('csv', workspace, [question], () => costCsv(store.db, workspace, question, now))
    const headers = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${workspace.slug}-cost-${history.dayText(from)}-${history.dayText(to)}.csv"`,
    }
    return new Response(csv, { headers })
  }),
  bindReading(history.costPage, ({ deps: { store }, workspace, now }, asked) => {
    const question = questionOf(asked, now)
    return keptAnswerBytes('json', workspace, ['page', question], async () => [
      JSON.stringify(await costPage(store.db, workspace, question, now)),
    ])
  }),
  bindReading(history.costRuns, ({ deps: { store }, workspace, now }) =>
    keptAnswerBytes('json', workspace, ['runs'], async () => [
      JSON.stringify(await costRuns(store.db, workspace, now)),
    ]),
  ),
]
