/**
 * The report (2.1), described as fields. Each field says which part of the input is kept, cut or dropped. Only a body
 * that is not a report at all is refused (4 rule 1, D14).
 */
import {
  boolean,
  dictionary,
  type Field,
  type FieldValue,
  field,
  integer,
  link,
  list,
  name,
  number,
  object,
  oneOf,
  opaqueText,
  text,
} from './fields.ts'
import { decodeUtf8, isCleanJson, type RefusedBody, readJson } from './json.ts'
import { isMapOfNames, parseJson } from './json-large.ts'
import { parseInPieces } from './json-pieces.ts'
import { level } from './levels.ts'
import { limits } from './limits.ts'
import { panel } from './panels.ts'
import { fitsReport } from './report.fits.ts'
import { newestRuns } from './runs.ts'
import { settings } from './settings.ts'
import { shown } from './text.ts'
import { protocolVersion } from './versions.ts'

/** A field for a subject of a run. A subject without a title is dropped (2.1). */
const subject = object({ title: text(limits.name), url: link, share: number(0, 1) }, 'title')
export type Subject = FieldValue<typeof subject>

const logName = name(limits.logName)
const subjects = list(subject, limits.subjects)

/** A field for a run (2.2). */
const run = object(
  {
    id: name(limits.runId),
    started: integer(0),
    ended: integer(0),
    kind: text(limits.runKind),
    status: text(limits.runStatus),
    cost_usd: number(0),
    output_tokens: integer(0),
    models: dictionary(number(0), limits.models),
    subjects,
    log: logName,
  },
  'id',
)
/** A run as `report` returns it. `models` is a Map if `parseJson` made Maps of the objects in the report. */
export type ReadRun = FieldValue<typeof run>
/** A run whose `models` are an object, as in JSON. */
export type Run = Omit<ReadRun, 'models'> & { models?: Record<string, number> }

const runList = list(run, Infinity)
/**
 * A field for a list of runs. If two runs have the same id, compared character by character, the later run takes the
 * place of the earlier one (D11). This field does not limit the number of runs: `withNewestRuns` does that, because it
 * needs the time to decide which runs are the newest.
 */
export const runs: Field<ReadRun[]> = field(
  (v, notes, tidy) => {
    const kept = runList(v, notes, tidy)
    return kept === undefined || haveDifferentIds(kept) ? kept : [...new Map(kept.map((one) => [one.id, one])).values()]
  },
  { ...runList.schema, maxItems: limits.runsPerReport },
)

/** Returns a report with its newest runs only, if it has too many (D12, D10). Returns any other report itself. */
export function withNewestRuns<T extends { runs?: ReadRun[] }>(part: T, now: number): T {
  const excess = (part.runs?.length ?? 0) - limits.runsPerReport
  return excess > 0 ? { ...part, runs: newestRuns(part.runs ?? [], limits.runsPerReport, now) } : part
}

const haveDifferentIds = (all: readonly ReadRun[]): boolean =>
  all.length < 2 || new Set(all.map(({ id }) => id)).size === all.length

const state = object({ level, label: text(limits.label), detail: text(limits.detail) })
export type State = FieldValue<typeof state>

const healthItem = object({ name: text(limits.name), level, detail: text(limits.detail) })
export type HealthItem = FieldValue<typeof healthItem>

export const activeRun = object({
  kind: text(limits.name),
  model: text(limits.name),
  started: integer(0),
  steps: number(),
  detail: text(limits.detail),
  subjects,
  log: logName,
})
export type ActiveRun = FieldValue<typeof activeRun>

const gauge = object({ name: text(limits.name), used: number(), mark: number(), detail: text(limits.detail) })
export type Gauge = FieldValue<typeof gauge>

/** The controls that version 1 of the contract knows. An unknown control in a report is dropped (2.1). */
export const controls = ['pause', 'resume', 'run_now'] as const
export type Control = (typeof controls)[number]
const anyControls = list(oneOf(controls), limits.controls)
const controlList: Field<Control[]> = field(
  (v) => {
    const kept = anyControls(v)
    return kept === undefined || new Set(kept).size === kept.length ? kept : [...new Set(kept)]
  },
  { ...anyControls.schema, uniqueItems: true },
)

/**
 * A field for the ack of a command (3.2), which says whether the agent carried the command out or declined it. `id` is
 * the id of the command, unchanged.
 */
const ack = object({ id: opaqueText(limits.commandId), ok: boolean, message: text(limits.detail) }, 'id', 'ok')
export type Ack = FieldValue<typeof ack>

const outcomes = ['ok', 'rolled_back', 'failed'] as const
export type Outcome = (typeof outcomes)[number]

/**
 * A field for the outcome of the last update of the agent's blueprint version (2.5). The part `runtime` of a report has
 * the same field for the runtime (2.6).
 */
const applied = object({
  version: text(limits.version),
  outcome: oneOf(outcomes),
  message: text(limits.appliedMessage),
})
export type AppliedUpdate = FieldValue<typeof applied>

/**
 * A field for the part `runtime` of a report: the versions of the runtime, and the outcome of its last update (2.6).
 */
const runtimeInfo = object(
  { version: name(limits.version), previous: name(limits.version), pinned: name(limits.version), applied },
  'version',
)
export type RuntimeInfo = FieldValue<typeof runtimeInfo>

const account = object({ org: text(limits.name), plan: text(limits.name), email: text(limits.name) })
export type AgentAccount = FieldValue<typeof account>

/** The last report before an orderly stop says with one of these words who stopped the reporter (2.1, D66). */
const stops = ['person', 'signal'] as const
/** Who stopped the reporter of an agent: a person, by a command of svc, or a signal of the system. */
export type StoppedBy = (typeof stops)[number]

/**
 * A field for the whole report (2.1). Unknown fields are dropped. Absent fields stay absent, so that the page does not
 * show them.
 */
export const report = object(
  {
    protocol: field((v) => (v === protocolVersion ? (v as typeof protocolVersion) : undefined), {
      const: protocolVersion,
    }),
    agent: object({ version: text(limits.name), host: text(limits.name) }),
    state,
    health: list(healthItem, limits.health),
    active: list(activeRun, limits.active),
    gauges: list(gauge, limits.gauges),
    runs,
    panels: list(panel, limits.panels),
    settings,
    controls: controlList,
    acks: list(ack, limits.acks),
    applied,
    runtime: runtimeInfo,
    account,
    /**
     * `boot` is an id that the reporter chooses each time it starts, and `seq` is the report's sequence number since
     * that start (D11).
     */
    boot: name(limits.name),
    seq: integer(0),
    /** The time, in Unix seconds, at which the agent last wrote its status file (D65). */
    status_at: integer(0),
    /**
     * True if the status file is older than usual (D67). If a reporter does not send this, the service counts the file
     * as old after five minutes.
     */
    status_old: boolean,
    stopped: oneOf(stops),
  },
  'protocol',
)
export type Report = FieldValue<typeof report>

/**
 * The result of reading a report. `json` is the body (its text, or its bytes if it is large) if all of it was kept
 * unchanged. `newNames` is true if the report is large and full of different property names, and `runsDropped` is the
 * number of runs beyond the limit.
 */
type ReadReport =
  | {
      ok: true
      value: Report
      json: string | Uint8Array | undefined
      newNames?: boolean
      runsDropped?: number | undefined
    }
  | RefusedBody

/** Reads a report that `readReport` has accepted before, from the JSON in the database. */
export function keptReport(text: string): Report {
  const value = parseJson(text)
  return isMapOfNames(value) ? (report(value, undefined, true) as Report) : (value as Report)
}

/**
 * Reads a report from the bytes of its body; `now` is in Unix milliseconds. Refuses only a body that is not a report at
 * all (D14).
 */
export function readReport(body: Uint8Array, now: number): ReadReport {
  const read = readInPieces(body) ?? readWhole(body)
  if (!read.ok) return read
  const { value, json, tidy } = read
  const newNames = isMapOfNames(value)
  if (tidy && fits(value)) return { ok: true, value, json }
  const all = report(value, undefined, tidy)
  if (all) {
    const kept = withNewestRuns(all, now)
    const runsDropped = (all.runs?.length ?? 0) - (kept.runs?.length ?? 0) || undefined
    return { ok: true, value: kept, json: Object.is(kept, value) ? json : undefined, newNames, runsDropped }
  }
  const named = value instanceof Map ? value.get('protocol') : value.protocol
  const got = named == null ? 'it names none' : `got ${shown(named, 40)}`
  return { ok: false, code: 'body_invalid', message: `The report must name protocol ${protocolVersion}: ${got}.` }
}

/** The JSON object in a body. `tidy` is true if all texts in it are known to be clean (D13). */
type ReadBody = { ok: true; value: Record<string, unknown>; json: string | Uint8Array; tidy: boolean }

function readWhole(body: Uint8Array): ReadBody | RefusedBody {
  const read = readJson(body, parseJson)
  return read.ok ? { ok: true, value: read.value, json: read.text, tidy: isCleanJson(read.text, body.length) } : read
}

function readInPieces(body: Uint8Array): ReadBody | undefined {
  let tidy = true
  const value = parseInPieces(body, decodeUtf8, (text, bytes) => {
    tidy &&= isCleanJson(text, bytes)
  })
  return value && { ok: true, value, json: body, tidy }
}

/**
 * True if a report can be kept unchanged, as nearly all reports can. This test takes a third of the time of `report`.
 */
const fits = (value: Record<string, unknown>): value is Report => {
  return fitsReport(value) && haveDifferentIds((value as Report).runs ?? [])
}

/** Returns the names of all logs that the runs of a report mention. People may request these logs (2.7). */
export function logNames(r: Pick<Report, 'active' | 'runs'>): Set<string> {
  const names = new Set<string>()
  for (const a of r.active ?? []) if (a.log !== undefined) names.add(a.log)
  for (const one of r.runs ?? []) if (one.log !== undefined) names.add(one.log)
  return names
}
