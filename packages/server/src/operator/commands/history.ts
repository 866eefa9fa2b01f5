import { type CostRow, history } from '@svc/api'
import { dayOf } from '../../platform/limits/units.ts'
import { Refusal } from '../../platform/refusal.ts'
import { commandOf } from '../shared/command.ts'
import { inWorkspace } from '../shared/params.ts'
import { RefusedError, readTyped, typedOption } from '../shared/request.ts'
import { table } from '../shared/show.ts'

export const historyCommands = {
  ...commandOf(history.cost, {
    at: inWorkspace,
    run: async (call, { workspace }) => {
      const { costCsv, costRows } = await import('../../web/queries/costs.ts')
      const [from, to, by, per] = ['from', 'to', 'by', 'per'].map((name) => typedOption(call, name))
      const asked = readTyped(history.cost, { from, to, by, per })
      const now = call.now()
      const question = { ...history.costTime(asked, dayOf(now)), by: asked.by ?? ('day' as const), per: asked.per }
      try {
        if (call.options.csv !== true)
          return { rows: await costRows(call.store.db, workspace, question, now), csv: null }
        let csv = ''
        for await (const piece of costCsv(call.store.db, workspace, question, now)) csv += piece
        return { rows: [], csv }
      } catch (error) {
        throw error instanceof Refusal ? new RefusedError(error.message, error.code) : error
      }
    },
    json: ({ rows, csv }) => csv ?? rows,
    show: ({ rows, csv }) => (csv === null ? tableOf(rows) : linesOf(csv)),
  }),
}

const tableOf = (rows: readonly CostRow[]): string =>
  table(
    ['FROM', 'NAME', 'RUNS', 'COST', 'OUTPUT TOKENS'],
    rows.map(({ from, name, runs, cost, outputTokens }) => [from, name, runs, `$${cost.toFixed(2)}`, outputTokens]),
    'No costs were reported in this time.',
  )

/** CSV as it is printed: without the byte order mark, which only files need. */
const linesOf = (csv: string): string => csv.slice(1).replaceAll('\r\n', '\n').trimEnd()
