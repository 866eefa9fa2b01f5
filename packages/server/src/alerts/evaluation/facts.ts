/**
 * Reads the facts by which rules about agents are judged, a slice of agents at a time, so that evaluating a large fleet
 * does not delay reports.
 */

import { setImmediate } from 'node:timers/promises'
import { storedReport } from '../../fleet/reports/body.ts'
import { hasWarning } from '../../fleet/reports/columns.ts'
import { hasTwoReporters } from '../../fleet/reports/reporters.ts'
import { noSigns, type ReportSigns, readSigns, signsOf } from '../../fleet/reports/signs.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { readAttempts, wishesIn } from '../../updates/wishes/kept.ts'
import { type AlertFacts, isReportOverdue, mayHoldForSums } from '../rules/conditions.ts'
import { readHours } from '../rules/hours.ts'
import { highSums, isNeeded, type JudgedRules, needsYoungRuns } from '../rules/may-hold.ts'
import type { SubjectRef } from '../store.ts'
import {
  addDaySum,
  type DaySum,
  earlierSums,
  earlierWaitingSums,
  type FactSlice,
  type FactsAndAttempts,
  factAgentsAtOnce,
  lastRuns,
  readAgentDetails,
  readAgents,
  type SliceRow,
  sliceReader,
  sumsOfDay,
  type WantedFacts,
  waitingSum,
} from './fact-rows.ts'

interface AgentFound {
  about: SubjectRef
  facts: AlertFacts
}

interface FactsSlice {
  /** The number of agents in the slice that have ever reported. */
  counted: number
  /**
   * Today's cost of `agents` in millionths of a US dollar; 0 if no rule that is on needs daily sums. If the rule
   * `cost_day` has a limit, `agents` includes every agent of the slice that had costs today.
   */
  costToday: number
  /**
   * The agents of the slice about which a rule may hold, and possibly others. The agents in `asked` for which no rule
   * may hold follow in separate slices.
   */
  agents: readonly AgentFound[]
}

/** Reads the agents of a workspace in slices by their names, and then the agents in `asked` that no slice contained. */
export async function* agentFacts(store: Store, wanted: WantedFacts): AsyncGenerator<FactsSlice> {
  const left = new Set(wanted.asked)
  const readSlice = sliceReader(store, wanted)
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { rows, last, counted }: FactSlice = await readSlice(after)
    for (const { id } of rows) left.delete(id)
    yield await factsIn(store.db, wanted, rows, counted)
    after = last
  }
  const rest = [...left]
  for (let i = 0; i < rest.length; i += factAgentsAtOnce)
    yield await factsIn(store.db, wanted, await readAgents(store.db, rest.slice(i, i + factAgentsAtOnce)), 0)
}

async function factsIn(db: Db, wanted: WantedFacts, rows: readonly SliceRow[], counted: number): Promise<FactsSlice> {
  const { rules } = wanted
  const read = await signsOfBodies(db, idsOf(rows.filter((row) => needsBody(row, wanted))))
  const signs = rows.map((row) => read.get(row.id) ?? readSigns(row.signs ?? ''))
  const needsDetails = ({ wishes }: SliceRow, i: number) => hasHold(wishes) || signs[i]?.process != null
  const details = await readAgentDetails(db, idsOf(rows.filter(needsDetails)))
  const sums = highSums(wanted) === undefined ? new Map<string, DaySums>() : await readSums(db, wanted, rows)
  const { statuses } = rules('run_failed')
  const runs = isNeeded('runs', wanted) ? await lastRuns(db, idsOf(rows), statuses ?? []) : undefined
  return {
    counted,
    costToday: [...sums.values()].reduce((sum, { cost }) => sum + cost.today, 0),
    agents: rows.map((row, i) => ({
      about: { kind: 'agent' as const, id: row.id, name: row.name },
      facts: factsOf(row, {
        details: details.get(row.id),
        signs: signs[i] ?? noSigns,
        runs: runs?.get(row.id) ?? [],
        sums: sums.get(row.id) ?? noSums,
      }),
    })),
  }
}

const idsOf = (rows: readonly SliceRow[]): string[] => rows.map(({ id }) => id)
/** The sums of an agent that rules judge. */
type DaySums = Pick<AlertFacts, 'cost' | 'starts'>
const noSums: DaySums = { cost: { today: 0, before: [] }, starts: { today: 0, before: [] } }

const hasHold = (wishes: string | null): boolean => wishes?.includes('Hold"') ?? false

/**
 * True if the signs of the last report must be read from its body: they are not stored yet and a rule needs them, or
 * the rule `run_long` needs runs that are too young to be among the stored signs. False for an offline agent.
 */
function needsBody(row: SliceRow, judged: JudgedRules): boolean {
  const reported = { receivedAt: row.received_at, intervalSeconds: row.interval_s ?? 0 }
  if (row.received_at === null || isReportOverdue(reported, judged.now)) return false
  if (row.signs === null) return isNeeded('signs', judged)
  return needsYoungRuns(judged) && row.doing !== null
}

interface OtherFacts {
  details: FactsAndAttempts | undefined
  signs: ReportSigns
  runs: AlertFacts['runs']
  sums: DaySums
}

function factsOf(row: SliceRow, { details, signs, runs, sums }: OtherFacts): AlertFacts {
  const hours = row.hours ? readHours(row.hours) : undefined
  return {
    receivedAt: row.received_at,
    intervalSeconds: row.interval_s ?? 0,
    stopped: row.stopped,
    paused: details?.facts != null && (JSON.parse(details.facts) as { paused?: boolean }).paused === true,
    level: row.level,
    label: row.label,
    statusStale: hasWarning(row.warnings, 'status'),
    diskFull: hasWarning(row.warnings, 'disk'),
    signs: row.received_at === null ? noSigns : signs,
    update: hasHold(row.wishes) ? failedUpdate({ wishes: row.wishes, attempts: details?.attempts ?? null }) : null,
    runs,
    ...sums,
    twoReporters: row.reporters !== null && hasTwoReporters(row.reporters),
    hours: hours?.ok ? hours.value : null,
  }
}

/**
 * An agent's failed or rolled-back update, of its blueprint or its runtime, that still counts: its version is on hold,
 * no other version is wished, and the agent has not reported a good outcome since. Null if there is none.
 */
export function failedUpdate({
  wishes,
  attempts,
}: {
  wishes: string | null
  attempts: string | null
}): AlertFacts['update'] {
  const { blueprint, blueprintHold, runtime, runtimeHold } = wishesIn(wishes)
  const { applied, runtime: ran } = readAttempts(attempts)
  const parts = [
    { hold: blueprintHold, wanted: blueprint?.version, reported: applied },
    { hold: runtimeHold, wanted: runtime?.version, reported: ran?.applied },
  ]
  for (const { hold, wanted, reported } of parts) {
    if (!hold || (wanted !== undefined && wanted !== hold.version) || reported?.outcome === 'ok') continue
    return { version: hold.version, outcome: hold.outcome }
  }
  return null
}

// The functions below read the daily sums of agents, today and on the days before. Each sum adds the row in `usage_day`
// and the sum that is stored with the last report and not in `usage_day` yet.

/**
 * The sums of agents by agent id. Agents without costs and runs today are left out. The days before are read only if
 * today's sums are high enough for a rule.
 */
async function readSums(db: Db, { rules, now }: JudgedRules, rows: readonly SliceRow[]): Promise<Map<string, DaySums>> {
  const today = dayNumber(now)
  const written = await sumsOfDay(db, idsOf(rows), today)
  const sums = new Map<string, DaySum>()
  const usages = new Map<string, string | null>()
  for (const { id, usage } of rows) {
    const sum = addDaySum(written.get(id), waitingSum(usage, today))
    if (sum.cost <= 0 && sum.runs <= 0) continue
    sums.set(id, sum)
    usages.set(id, usage)
  }
  const high = [...sums].filter(([, { cost, runs }]) => mayHoldForSums(cost, runs, rules)).map(([id]) => id)
  const before = await earlierSums(db, high, today)
  for (const [id, days] of before)
    for (const [day, sum] of earlierWaitingSums(usages.get(id) ?? null, today))
      days.set(day, addDaySum(days.get(day), sum))
  return new Map(
    [...sums].map(([id, { cost, runs }]) => {
      const days = [...(before.get(id)?.values() ?? [])]
      const positive = (of: keyof DaySum) => days.map((sum) => sum[of]).filter((one) => one > 0)
      return [
        id,
        { cost: { today: cost, before: positive('cost') }, starts: { today: runs, before: positive('runs') } },
      ]
    }),
  )
}

/**
 * The number of bodies that are read at a time. A body has up to 256 KB, so reading only a few keeps the turns of the
 * event loop short.
 */
const bodiesAtOnce = 8

async function signsOfBodies(db: Db, ids: readonly string[]): Promise<Map<string, ReportSigns>> {
  const signs = new Map<string, ReportSigns>()
  for (let i = 0; i < ids.length; i += bodiesAtOnce) {
    const rows = await db
      .selectFrom('agent_report')
      .select(['agent_id', 'body'])
      .where('agent_id', 'in', ids.slice(i, i + bodiesAtOnce))
      .execute()
    for (const { agent_id, body } of rows) signs.set(agent_id, signsOf(storedReport(body)))
    await setImmediate()
  }
  return signs
}
