/**
 * Computes what the runs of a report change (2.2): the time by which each run is sorted (its `place`, D10), the runs
 * that drop out of the newest 2000, and what the daily sums gain.
 */
import { type Dictionary, forEachEntry, type ReadRun, type Report, runSortKey } from '@svc/protocol'
import { maxUsage } from '../../fleet/reports/pending.ts'
import type { LastReport, UsageDelta } from '../../fleet/reports/stored.ts'
import { otherModels, usageDays } from '../../fleet/reports/usage-names.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { excessRuns } from '../report-store/needs.ts'
import type { KeptRun, RankedRun, ReportWrites, RunWrite } from '../report-store/rows.ts'
import { manyModelsIn, modelsIn } from '../report-store/run-body.ts'

type RunWrites = Pick<ReportWrites, 'newRuns' | 'changedRuns' | 'trimmed'> & { runs_kept: number; usage: UsageDelta[] }

/**
 * The maximum number of pairs of a day and a model name whose sums one report may change. For every further pair the
 * report changes the sum "other" of the day instead.
 */
const namesPerReport = 1000
const noRunChanges = { newRuns: [], changedRuns: [], trimmed: [], usage: [] }

/**
 * Computes what the runs of a report change. `bodies` are these runs as JSON, `kept` those of them that are already
 * stored, and `lowest` the oldest of all stored runs of the agent.
 */
export function mergeRuns(
  report: Report,
  bodies: readonly string[],
  kept: ReadonlyMap<string, KeptRun>,
  lowest: readonly RankedRun[],
  last: LastReport | undefined,
  now: number,
): RunWrites {
  const runs_kept = last?.runs_kept ?? 0
  if (!report.runs || report.runs.length === 0) return { ...noRunChanges, runs_kept }
  const fresh: { run: ReadRun; write: RunWrite }[] = []
  const changed: { run: ReadRun; was: KeptRun; body: string }[] = []
  for (const [i, run] of report.runs.entries()) {
    const was = kept.get(run.id)
    const body = bodies[i] ?? ''
    if (was === undefined) fresh.push({ run, write: asWritten(run, runSortKey(run, now), now, body) })
    else if (was.body !== body) changed.push({ run, was, body })
  }
  const dropped = trim(lowest, fresh, excessRuns(last, fresh.length))
  const sums = new Sums(dayNumber(now) - usageDays)
  const newRuns: RunWrite[] = []
  for (const [i, { run, write }] of fresh.entries()) {
    if (dropped.fresh.has(i)) continue
    sums.add(write.place, write, run.models, 1)
    newRuns.push(write)
  }
  const changedRuns: ReportWrites['changedRuns'] = []
  for (const { run, was, body } of changed) {
    if (dropped.kept.has(was.seq)) continue
    const write = { ...asWritten(run, was.place, now, body), seq: was.seq }
    sums.add(was.place, was, run.models instanceof Map ? manyModelsIn(was.body) : modelsIn(was.body), -1)
    sums.add(was.place, write, run.models, 1)
    changedRuns.push(write)
  }
  return {
    newRuns,
    changedRuns,
    trimmed: [...dropped.kept],
    usage: sums.deltas(),
    runs_kept: runs_kept + newRuns.length - dropped.kept.size,
  }
}

const nothingGone: { kept: ReadonlySet<number>; fresh: ReadonlySet<number> } = { kept: new Set(), fresh: new Set() }

/**
 * Picks the `count` oldest runs among the stored and the new ones, by `place` (D10). Of runs with an equal `place`,
 * those that were seen earlier are picked first.
 */
function trim(lowest: readonly RankedRun[], fresh: readonly { write: RunWrite }[], count: number) {
  if (count === 0) return nothingGone
  const dropped = { kept: new Set<number>(), fresh: new Set<number>() }
  const all = [
    ...lowest.map(({ seq, place }, order) => ({ place, order, seq, index: -1 })),
    ...fresh.map(({ write: { place } }, index) => ({ place, order: lowest.length + index, seq: -1, index })),
  ].sort((a, b) => a.place - b.place || a.order - b.order)
  for (const { seq, index } of all.slice(0, count)) {
    if (index < 0) dropped.kept.add(seq)
    else dropped.fresh.add(index)
  }
  return dropped
}

const asWritten = (run: ReadRun, place: number, now: number, body: string): RunWrite => ({
  id: run.id,
  place,
  first_seen: now,
  started: run.started ?? null,
  ended: run.ended ?? null,
  status: run.status ?? null,
  kind: run.kind ?? null,
  cost_micro: costOf(run),
  output_tokens: run.output_tokens ?? null,
  log: run.log ?? null,
  body,
})

/** The cost of a run in micro-dollars: its `cost_usd`, or else the sum of its models; null if it has neither. */
function costOf(run: ReadRun): number | null {
  if (run.cost_usd !== undefined) return micro(run.cost_usd)
  let sum: number | null = null
  if (run.models)
    forEachEntry(run.models, (_, dollars) => {
      sum = (sum ?? 0) + micro(dollars)
    })
  return sum === null ? null : Math.min(maxUsage, sum)
}

const micro = (dollars: number): number => Math.min(maxUsage, Math.round(dollars * 1e6))

/**
 * Collects what daily sums gain or lose, by day and model; the model '' holds the totals. A day before the first kept
 * day counts as the first kept day.
 */
class Sums {
  readonly #days = new Map<number, Map<string, UsageDelta>>()
  readonly #first: number
  #names = 0

  constructor(first: number) {
    this.#first = first
  }

  /** Adds the costs of a run to the sums of the day of its `place`, or subtracts them if `sign` is -1. */
  add(
    place: number,
    costs: Pick<RunWrite, 'cost_micro' | 'output_tokens'>,
    models: Dictionary<number> | undefined,
    sign: 1 | -1,
  ): void {
    const day = Math.max(this.#first, dayNumber(place))
    const total = this.#of(day, '')
    total.runs += sign
    total.costMicro += sign * (costs.cost_micro ?? 0)
    total.outputTokens += sign * Math.min(maxUsage, costs.output_tokens ?? 0)
    if (!models) return
    forEachEntry(models, (model, dollars) => {
      const share = this.#named(day, model)
      share.runs += sign
      share.costMicro += sign * micro(dollars)
    })
  }

  deltas(): UsageDelta[] {
    const deltas: UsageDelta[] = []
    for (const models of this.#days.values()) {
      for (const sum of models.values()) {
        sum.costMicro = Math.min(maxUsage, sum.costMicro)
        sum.outputTokens = Math.min(maxUsage, sum.outputTokens)
        if (sum.runs !== 0 || sum.costMicro !== 0 || sum.outputTokens !== 0) deltas.push(sum)
      }
    }
    return deltas
  }

  #named(day: number, model: string): UsageDelta {
    if (this.#days.get(day)?.has(model)) return this.#of(day, model)
    return this.#of(day, this.#names++ < namesPerReport ? model : otherModels)
  }

  #of(day: number, model: string): UsageDelta {
    let models = this.#days.get(day)
    if (!models) {
      models = new Map()
      this.#days.set(day, models)
    }
    let sum = models.get(model)
    if (!sum) {
      sum = { day, model, runs: 0, costMicro: 0, outputTokens: 0 }
      models.set(model, sum)
    }
    return sum
  }
}
