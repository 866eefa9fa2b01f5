/** Commands about the past: states and changes of agents, and costs. */
import { type CostRow, history, optionsField } from '@svc/api'
import { listedChanges } from '@svc/api/left-off'
import { readStrip } from '@svc/api/words'
import { dayNumber } from '../../platform/limits/units.ts'
import { Refusal } from '../../platform/refusal.ts'
import { operationCommand } from '../shared/command.ts'
import { inWorkspace, onAgent } from '../shared/params.ts'
import { orUsageError, RefusedError, rawArgument, readOptions, readTypedInput } from '../shared/request.ts'
import { oneSafeLine, tableText, timeText } from '../shared/show.ts'

export const historyCommands = {
  ...operationCommand(history.states, {
    at: onAgent,
    run: async (call, { agent }) => {
      const { agentStates } = await import('../../web/queries/states.ts')
      const asked = readOptions(call, history.states, 'since', 'until')
      const now = call.now()
      const time = orUsageError(() => history.periodOf(asked, now, optionsField))
      return agentStates(call.store.db, agent, { ...time, now })
    },
    show: (spans) =>
      tableText(
        ['FROM', 'UNTIL', 'STATE', 'LEVEL', 'LABEL'],
        spans.map(({ from, until, is, level, label }) => [timeText(from), timeText(until), is, level, label]),
        'No time lies between these two.',
      ),
  }),
  ...operationCommand(history.changes, {
    at: onAgent,
    run: async (call, { agent }) => {
      const { readHistoryChanges } = await import('../../web/queries/changes.ts')
      const asked = readOptions(call, history.changes, 'since', 'until', 'limit')
      const time = orUsageError(() => history.periodOf(asked, call.now(), optionsField))
      return readHistoryChanges(call.store.db, agent, {
        ...time,
        limit: asked.limit ?? listedChanges.default,
        now: call.now(),
      })
    },
    show: (changes) =>
      tableText(
        ['WHEN', 'WHAT', 'FROM', 'TO', ''],
        changes.map(({ at, what, from, to, text }) => [timeText(at), what, shownValue(from), shownValue(to), text]),
        'Nothing changed in this time.',
      ),
  }),
  ...operationCommand(history.fleetAt, {
    at: inWorkspace,
    run: async (call, { workspace }) => {
      const { fleetAt } = await import('../../web/queries/fleet-states.ts')
      const asked = readOptions(call, history.fleetAt, 'at', 'level')
      const now = call.now()
      const at = orUsageError(() => history.momentOf(asked, now, optionsField))
      return fleetAt(call.store.db, workspace, { at, now, level: asked.level })
    },
    show: (agents) =>
      tableText(
        ['AGENT', 'STATE', 'LEVEL', 'LABEL'],
        agents.map(({ name, is, level, label }) => [name, is, level, label]),
        'No agent had a known state at that time.',
      ),
  }),
  ...operationCommand(history.strips, {
    at: inWorkspace,
    run: async (call, { workspace }) => {
      const { readStrips } = await import('../../web/queries/strips.ts')
      const { names } = readTypedInput(history.strips, { names: rawArgument(call, 1) })
      return readStrips(call.store.db, workspace, names, call.now())
    },
    show: ({ strips }) =>
      tableText(
        ['AGENT', 'STATES'],
        Object.entries(strips).map(([name, text]) => {
          const shares: Record<string, number> = {}
          for (const { state, seconds } of readStrip(text)) shares[state] = (shares[state] ?? 0) + seconds
          return [name, sharesText(shares)]
        }),
        'There is no agent with such a name.',
      ),
  }),
  ...operationCommand(history.trend, {
    at: onAgent,
    run: async (call, { agent }) => {
      const { agentTrend } = await import('../../web/queries/trend.ts')
      const { days = '1' } = readOptions(call, history.trend, 'days')
      return agentTrend(call.store.db, agent, Number(days), call.now())
    },
    show: ({ from, step, time, usage }) =>
      tableText(
        ['FROM', 'TIME', 'RUNS', 'COST'],
        time.map((shares, i) => {
          const used = usage[i]
          return [timeText(from + i * step * 1000), sharesText(shares), used?.runs, used && `$${used.cost.toFixed(2)}`]
        }),
        '',
      ),
  }),
  ...operationCommand(history.cost, {
    at: inWorkspace,
    run: async (call, { workspace }) => {
      const { costCsv, costRows } = await import('../../web/queries/costs.ts')
      const asked = readOptions(call, history.cost, 'from', 'to', 'by', 'per')
      const now = call.now()
      const question = {
        ...history.costPeriodOf(asked, dayNumber(now)),
        by: asked.by ?? ('day' as const),
        per: asked.per,
      }
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
  tableText(
    ['FROM', 'NAME', 'RUNS', 'COST', 'OUTPUT TOKENS'],
    rows.map(({ from, name, runs, cost, outputTokens }) => [from, name, runs, `$${cost.toFixed(2)}`, outputTokens]),
    'No costs were reported in this time.',
  )

/** CSV as the terminal prints it, without the byte order mark and the line ends that only files need. */
const linesOf = (csv: string): string => csv.slice(1).replaceAll('\r\n', '\n').trimEnd()

const shownValue = (value: string | number | boolean | null): string | null => (value === null ? null : String(value))

/**
 * The shares of a time that an agent spent in each state, such as `ok 80%, offline 20%`. States without a share are
 * left out.
 */
function sharesText(shares: Readonly<Record<string, number>>): string {
  const whole = Object.values(shares).reduce((sum, seconds) => sum + seconds, 0)
  const parts = Object.entries(shares).filter(([, seconds]) => seconds > 0)
  return parts.map(([name, seconds]) => oneSafeLine(`${name} ${Math.round((100 * seconds) / whole)}%`)).join(', ')
}
