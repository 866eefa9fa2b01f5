/** Carries out the operations about the past: states and changes of agents, and the costs of a workspace. */
import { type CostSplit, type CostStep, history } from '@svc/api'
import { listedChanges } from '@svc/api/left-off'
import { dayNumber } from '../../platform/limits/units.ts'
import { Refusal } from '../../platform/refusal.ts'
import { sharedAnswers } from '../live/shared.ts'
import { readHistoryChanges } from '../queries/changes.ts'
import type { CostQuestion } from '../queries/cost-sums.ts'
import { costCsv, costPage, costRows, costRuns } from '../queries/costs.ts'
import { workspaceTurns } from '../queries/fleet.ts'
import { fleetAt } from '../queries/fleet-states.ts'
import { agentStates } from '../queries/states.ts'
import { readStrips } from '../queries/strips.ts'
import { agentTrend } from '../queries/trend.ts'
import { maxListBytes } from '../routing/bounded.ts'
import type { Bytes } from '../routing/json.ts'
import { bindReading } from '../routing/operations.ts'

interface AskedCosts {
  from?: number
  to?: number
  by?: CostStep
  per?: CostSplit
}

const questionOf = (asked: AskedCosts, now: number): CostQuestion => ({
  ...history.costPeriodOf(asked, dayNumber(now)),
  by: asked.by ?? 'day',
  per: asked.per,
})

export const historyOperations = [
  bindReading(history.states, ({ deps, agent, now }, asked) =>
    agentStates(deps.store.db, agent, { ...history.periodOf(asked, now), now }),
  ),
  bindReading(history.changes, ({ deps, agent, now }, { limit = listedChanges.default, ...asked }) =>
    readHistoryChanges(deps.store.db, agent, { ...history.periodOf(asked, now), limit, now }),
  ),
  bindReading(history.fleetAt, ({ deps, workspace, now }, asked) =>
    fleetAt(deps.store.db, workspace, { at: history.momentOf(asked, now), now, level: asked.level }),
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

const utf8 = new TextEncoder()
/** The number of rows that are written in one turn of the event loop. */
const rowsAtOnce = 1000
/** The milliseconds for which an answer about costs is kept, because it takes long to compute for all agents. */
const keptMs = 60_000
/** The maximum number of answers about costs that are kept, for all workspaces together. Downloads (CSV) are larger. */
const maxKept = { json: 64, csv: 2 } as const
const maxKeptBytes = { json: maxListBytes, csv: 32 * maxListBytes } as const
const keptAnswers = {
  json: sharedAnswers(() => performance.now(), keptMs, maxKept.json),
  csv: sharedAnswers(() => performance.now(), keptMs, maxKept.csv),
} as const

/**
 * The reading of costs that was started last in each workspace. The readings of a workspace run one after another,
 * since each is large.
 */
const readings = new Map<string, Promise<unknown>>()

function afterReadings<T>(workspace: { id: string }, read: () => Promise<T>): Promise<T> {
  const { id } = workspace
  const reading = (readings.get(id) ?? Promise.resolve()).then(read, read)
  readings.set(id, reading)
  const forget = () => readings.get(id) === reading && readings.delete(id)
  reading.then(forget, forget)
  return reading
}

/** The bytes of an answer about costs: kept for `keptMs`, or joined from the pieces of text that `make` returns. */
const keptAnswerBytes = (
  form: keyof typeof keptAnswers,
  workspace: { id: string },
  asked: readonly unknown[],
  make: () => AsyncIterable<string> | Promise<Iterable<string>>,
): Promise<Bytes> =>
  keptAnswers[form].of(JSON.stringify([workspace.id, ...asked]), () =>
    afterReadings(workspace, async () => {
      const pieces: Uint8Array[] = []
      let size = 0
      for await (const piece of await make()) {
        const encoded = utf8.encode(piece)
        size += encoded.length
        if (size > maxKeptBytes[form]) throw new Refusal('costs_too_many')
        pieces.push(encoded)
      }
      return joinPieces(pieces, size)
    }),
  )

function joinPieces(pieces: readonly Uint8Array[], size: number): Bytes {
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** The JSON of a list, in pieces. */
async function* listJson({ id }: { id: string }, rows: readonly unknown[]): AsyncGenerator<string> {
  let before = '['
  for (let i = 0; i < rows.length; i += rowsAtOnce) {
    if (i > 0) await workspaceTurns.next(id)
    yield before + JSON.stringify(rows.slice(i, i + rowsAtOnce)).slice(1, -1)
    before = ','
  }
  yield rows.length === 0 ? '[]' : ']'
}
