/**
 * The signs of a report: facts that alerts need and that only its body contains. They are stored in a column of their
 * own, so that evaluating a large fleet parses no bodies.
 */
import { otherItems } from '@svc/api'
import { cut, type Report } from '@svc/protocol'
import { paddedJson } from './padding.ts'

export interface ReportSigns {
  /** The level of the health item `Process` if that is warn or bad, otherwise null. */
  process: 'warn' | 'bad' | null
  /** The products whose binding has the level bad. */
  bindings: readonly string[]
  /**
   * The names of other health items with the level bad, each once, in the order of the report. Items whose names cannot
   * identify them, such as an empty name, are left out.
   */
  items: readonly string[]
  /** The number of such items beyond those in `items`. */
  moreItems: number
  /** The names of the gauges whose used amount has reached the limit that the agent reports for them. */
  gauges: readonly string[]
  /** The earliest start of a run in progress, in Unix seconds as reported; null if no run is in progress. */
  started: number | null
}

type SignParts = Pick<Report, 'health' | 'gauges' | 'active'>

export const noSigns: ReportSigns = { process: null, bindings: [], items: [], moreItems: 0, gauges: [], started: null }

/**
 * The age in milliseconds up to which the start of a run is not stored, so that agents with only short runs have no
 * signs.
 */
export const youngRunMs = 60_000
const statusFile = 'Status file'
const bindingNamePattern = /^Binding ([a-z][a-z0-9_]*)$/
/**
 * The maximum number of bindings, and of gauges, whose names are stored, because a message about an alert lists no
 * more.
 */
const maxNames = 10
const maxName = 60
/** The maximum number of bad health items whose names are stored, and the maximum length of a stored name. */
const maxItems = 20
export const maxItemName = 80

export function signsOf({ health, gauges, active }: SignParts): ReportSigns {
  const { bindings, items, moreItems } = health === undefined ? noneBad : badOf(health)
  return {
    process: health === undefined ? null : processOf(health),
    bindings,
    items,
    moreItems,
    gauges: gauges === undefined ? [] : fullGauges(gauges),
    started: active === undefined ? null : firstStart(active),
  }
}

/**
 * The column is padded to a multiple of this number of characters. The number is more than most signs need, so a change
 * of signs rarely changes the size of the column.
 */
const paddedTo = 56
const noSignsColumn = paddedJson('{}', paddedTo)

/** The signs of a report as they are stored: JSON. */
export function signsColumn(report: SignParts, now: number): string {
  const { process, bindings, items, moreItems, gauges, started } = signsOf(report)
  const old = started !== null && started * 1000 <= now - youngRunMs ? started : null
  // Most agents have no other sign than a run, so this is written without a serialiser.
  if (process === null && bindings.length + items.length + gauges.length === 0) {
    return old === null ? noSignsColumn : paddedJson(`{"started":${old}}`, paddedTo)
  }
  const signs = {
    ...(process !== null && { process }),
    ...(bindings.length > 0 && { bindings }),
    ...(items.length > 0 && { items }),
    ...(moreItems > 0 && { moreItems }),
    ...(gauges.length > 0 && { gauges }),
    ...(old !== null && { started: old }),
  }
  return paddedJson(JSON.stringify(signs), paddedTo)
}

/** Reads the column. It is '' in rows without signs that earlier versions wrote. */
export const readSigns = (column: string): ReportSigns =>
  column === '' || column === noSignsColumn ? noSigns : { ...noSigns, ...(JSON.parse(column) as Partial<ReportSigns>) }

// The functions below run for every report, so they make no list until there is something to put into it.

function processOf(health: NonNullable<SignParts['health']>): ReportSigns['process'] {
  for (const { name, level } of health)
    if (name === 'Process') return level === 'bad' || level === 'warn' ? level : null
  return null
}

const noNames: readonly string[] = []

type BadSigns = Pick<ReportSigns, 'bindings' | 'items' | 'moreItems'>
const noneBad: BadSigns = { bindings: noNames, items: noNames, moreItems: 0 }

/**
 * The bad health items: broken bindings, and others. The process has a sign of its own, and a late status file is a
 * warning (columns.ts), so these two items are left out.
 */
function badOf(health: NonNullable<SignParts['health']>): BadSigns {
  let bindings = noNames
  let items = noNames
  for (const { name, level } of health) {
    if (level !== 'bad' || name === undefined || name === 'Process' || name === statusFile) continue
    const product = bindingNamePattern.exec(name)?.[1]
    if (product === undefined) items = withItem(items, cut(name, maxItemName))
    else if (bindings.length < maxNames) bindings = [...bindings, product]
  }
  if (bindings === noNames && items === noNames) return noneBad
  return { bindings, items: items.slice(0, maxItems), moreItems: Math.max(0, items.length - maxItems) }
}

const withItem = (items: readonly string[], item: string): readonly string[] =>
  item.trim() === '' || item === otherItems || items.includes(item) ? items : [...items, item]

function fullGauges(gauges: NonNullable<SignParts['gauges']>): readonly string[] {
  let names = noNames
  for (const { name, used, mark } of gauges) {
    if (name === undefined || used === undefined || mark === undefined || used < mark) continue
    if (names.length < maxNames) names = [...names, cut(name, maxName)]
  }
  return names
}

function firstStart(active: NonNullable<SignParts['active']>): number | null {
  let first: number | null = null
  for (const { started } of active) if (started !== undefined && (first === null || started < first)) first = started
  return first
}
