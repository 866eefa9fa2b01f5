/**
 * The report (2.1): read field by field into what is stored and shown. Cut, drop, keep; the only refusals are those of a
 * body that is no report at all (4 rule 1, D14).
 */
import {
  boolean,
  dictionary,
  type Field,
  field,
  integer,
  type Kept,
  link,
  list,
  name,
  number,
  object,
  oneOf,
  opaque,
  text,
} from './fields.ts'
import { isTidy, type Refused, readJson } from './json.ts'
import { isOfNewNames, parseJson } from './json-large.ts'
import { level } from './levels.ts'
import { limits } from './limits.ts'
import { panel } from './panels.ts'
import { fitsReport } from './report.fits.ts'
import { newestRuns } from './run-order.ts'
import { settings } from './settings.ts'
import { shown } from './text.ts'
import { protocolVersion } from './versions.ts'

/** 2.1: without a title it is nothing. */
const subject = object({ title: text(limits.name), url: link, share: number(0, 1) }, 'title')
export type Subject = Kept<typeof subject>

const logName = name(limits.logName)
const subjects = list(subject, limits.subjects)

/** 2.2 */
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
/** A run as it is read. */
export type ReadRun = Kept<typeof run>
/** A run in JSON. */
export type Run = Omit<ReadRun, 'models'> & { models?: Record<string, number> }

/**
 * D11: of runs that name one id, compared byte by byte, the later counts, at the place of the first. Too many runs are not cut
 * here, since which of them are the newest depends on the time: `withNewestRuns` does it.
 */
const runList = list(run, Infinity)
export const runs: Field<ReadRun[]> = field(
  (v, notes, tidy) => {
    const kept = runList(v, notes, tidy)
    return kept === undefined || differ(kept) ? kept : [...new Map(kept.map((one) => [one.id, one])).values()]
  },
  { ...runList.schema, maxItems: limits.runsPerReport },
)

/** D12: of more runs than are read, the newest ones (D10). The very same value where none is too many. */
export function withNewestRuns<T extends { runs?: ReadRun[] }>(part: T, now: number): T {
  const excess = (part.runs?.length ?? 0) - limits.runsPerReport
  return excess > 0 ? { ...part, runs: newestRuns(part.runs ?? [], limits.runsPerReport, now) } : part
}

const differ = (all: readonly ReadRun[]): boolean =>
  all.length < 2 || new Set(all.map(({ id }) => id)).size === all.length

const state = object({ level, label: text(limits.label), detail: text(limits.detail) })
export type State = Kept<typeof state>

const healthItem = object({ name: text(limits.name), level, detail: text(limits.detail) })
export type HealthItem = Kept<typeof healthItem>

export const activeRun = object({
  kind: text(limits.name),
  model: text(limits.name),
  started: integer(0),
  steps: number(),
  detail: text(limits.detail),
  subjects,
  log: logName,
})
export type ActiveRun = Kept<typeof activeRun>

const gauge = object({ name: text(limits.name), used: number(), mark: number(), detail: text(limits.detail) })
export type Gauge = Kept<typeof gauge>

/** The buttons that version 1 knows; an unknown entry is dropped (2.1). */
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

/** 3.2: `id` is the command's, unchanged. */
const ack = object({ id: opaque(limits.commandId), ok: boolean, message: text(limits.detail) }, 'id', 'ok')
export type Ack = Kept<typeof ack>

const outcomes = ['ok', 'rolled_back', 'failed'] as const
export type Outcome = (typeof outcomes)[number]

/** 2.5, and the same shape inside `runtime` (2.6). */
const applied = object({
  version: text(limits.version),
  outcome: oneOf(outcomes),
  message: text(limits.appliedMessage),
})
export type Applied = Kept<typeof applied>

/** 2.6 */
const runtimeInfo = object(
  { version: name(limits.version), previous: name(limits.version), pinned: name(limits.version), applied },
  'version',
)
export type RuntimeInfo = Kept<typeof runtimeInfo>

const account = object({ org: text(limits.name), plan: text(limits.name), email: text(limits.name) })
export type Account = Kept<typeof account>

/** 2.1: who ended the reporter, in the last report of an orderly stop. */
const stops = ['person', 'signal'] as const
export type Stop = (typeof stops)[number]

/** 2.1. What is not named here is not kept; what is absent stays absent, down to the page. */
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
    /** D11: which start of the reporter this is, and the report's sequence number since then. Optional additions of ours. */
    boot: name(limits.name),
    seq: integer(0),
    /** Unix seconds: when the agent last wrote its status file. */
    status_at: integer(0),
    stopped: oneOf(stops),
  },
  'protocol',
)
export type Report = Kept<typeof report>

/**
 * With the text of the body, if all of it was kept as it came: the same report, in JSON already. `newNames`: it is large and full of
 * names that no other report has. `runsDropped` says how many runs were too many.
 */
type ReadReport =
  | { ok: true; value: Report; text: string | undefined; newNames?: boolean; runsDropped?: number | undefined }
  | Refused

/** The report in a text that is stored: `text` of ReadReport, or its value in JSON. */
export function keptReport(text: string): Report {
  const value = parseJson(text)
  return isOfNewNames(value) ? (report(value, undefined, true) as Report) : (value as Report)
}

/** D14: reads the bytes of a body, at this time in Unix milliseconds; refuses only what is no report at all. */
export function readReport(body: Uint8Array, now: number): ReadReport {
  const json = readJson(body, parseJson)
  if (!json.ok) return json
  const { value, text } = json
  const tidy = isTidy(text, body.length)
  const newNames = isOfNewNames(value)
  if (tidy && fits(value)) return { ok: true, value, text }
  const all = report(value, undefined, tidy)
  if (all) {
    const kept = withNewestRuns(all, now)
    const runsDropped = (all.runs?.length ?? 0) - (kept.runs?.length ?? 0) || undefined
    return { ok: true, value: kept, text: Object.is(kept, value) ? text : undefined, newNames, runsDropped }
  }
  const named = value instanceof Map ? value.get('protocol') : value.protocol
  const got = named == null ? 'it names none' : `got ${shown(named, 40)}`
  return { ok: false, code: 'body_invalid', message: `The report must name protocol ${protocolVersion}: ${got}.` }
}

/** Most reports are kept as they came: to see that costs a third of reading them field by field. */
const fits = (value: Record<string, unknown>): value is Report => {
  return fitsReport(value) && differ((value as Report).runs ?? [])
}

/** The names of logs that a report mentions: what may be asked for (2.7). */
export function logNames(r: Pick<Report, 'active' | 'runs'>): Set<string> {
  const names = new Set<string>()
  for (const a of r.active ?? []) if (a.log !== undefined) names.add(a.log)
  for (const one of r.runs ?? []) if (one.log !== undefined) names.add(one.log)
  return names
}
