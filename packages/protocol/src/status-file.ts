/**
 * The status file (2.11): the shape of a report limited to what an agent says of itself. Stricter than a report where
 * something would be meaningless, and what it does not know it drops and tells (D55).
 */
import { type Field, field, isObject, type JsonSchema, type Kept, list, name, number, object, text } from './fields.ts'
import { level } from './levels.ts'
import { limits } from './limits.ts'
import { type Panel, panel, panelParts } from './panels.ts'
import { activeRun, run } from './report.ts'

const wholePanel: Field<Panel> = field(
  (v) => {
    const kept = panel(v)
    return kept && panelParts[kept.type].every((part) => part in kept) ? kept : undefined
  },
  {
    oneOf: (
      panel.schema.oneOf as (JsonSchema & {
        required: string[]
        properties: { type: { enum: (keyof typeof panelParts)[] } }
      })[]
    ).map((kind) => ({ ...kind, required: [...kind.required, ...panelParts[kind.properties.type.enum[0] ?? 'text']] })),
  },
)

export const statusFile = object({
  agent: object({ version: text(limits.statusAgentVersion) }),
  state: object({ level, label: text(limits.label), detail: text(limits.detail) }, 'level'),
  health: list(object({ name: text(limits.name), level, detail: text(limits.detail) }, 'name', 'level'), limits.health),
  active: list(activeRun, limits.active),
  gauges: list(
    object({ name: text(limits.name), used: number(), mark: number(), detail: text(limits.detail) }, 'name', 'used'),
    limits.gauges,
  ),
  runs: list(run, limits.runsPerReport),
  panels: list(wholePanel, limits.panels),
})
export type StatusFile = Kept<typeof statusFile>

export interface StatusRead {
  status: StatusFile
  /** Paths of properties the contract does not know, such as `health[0].colour`; at most ten. */
  unknown: string[]
  /** Paths of parts that were dropped because something they need is missing or of the wrong type; at most ten. */
  dropped: string[]
}

/** Reads a parsed status file; undefined when it is no object (2.11: that costs one health line). */
export function readStatusFile(parsed: unknown): StatusRead | undefined {
  const status = statusFile(parsed)
  if (!status) return undefined
  const unknown: string[] = []
  const dropped: string[] = []
  compare(parsed, status, statusFile.schema, '', unknown, dropped)
  return { status, unknown: unknown.slice(0, 10), dropped: dropped.slice(0, 10) }
}

const shownKey = (key: string): string => name(40)(key) ?? '""'

/** Walks input and what was kept of it side by side. */
function compare(
  input: unknown,
  kept: unknown,
  schema: JsonSchema,
  path: string,
  unknown: string[],
  dropped: string[],
): void {
  if (Array.isArray(input) && Array.isArray(kept)) {
    const item = schema.items as JsonSchema
    let next = 0
    for (let i = 0; i < input.length && dropped.length < 10; i++) {
      const stays = next < kept.length && sameItem(input[i], kept[next])
      if (stays) compare(input[i], kept[next++], itemSchema(item, input[i]), `${path}[${i}]`, unknown, dropped)
      else dropped.push(`${path}[${i}]`)
    }
    return
  }
  if (!isObject(input) || !isObject(kept)) return
  const known = (schema.properties ?? {}) as Record<string, JsonSchema>
  const free = schema.additionalProperties as JsonSchema | undefined
  for (const key of Object.keys(input)) {
    const at = path === '' ? shownKey(key) : `${path}.${shownKey(key)}`
    const below = Object.hasOwn(known, key) ? known[key] : free
    if (below === undefined) unknown.push(at)
    else if (kept[key] !== undefined) compare(input[key], kept[key], below, at, unknown, dropped)
    else if (input[key] !== null) dropped.push(at)
    if (unknown.length > 10 || dropped.length > 10) return
  }
}

const itemSchema = (schema: JsonSchema, input: unknown): JsonSchema => {
  const choices = (schema.oneOf ?? schema.anyOf) as JsonSchema[] | undefined
  if (!choices) return schema
  const typeOf = (s: JsonSchema) => (s.properties as { type?: { enum?: unknown[] } } | undefined)?.type?.enum?.[0]
  return (
    choices.find(
      (s) => isObject(input) && s.type === 'object' && (typeOf(s) === undefined || typeOf(s) === input.type),
    ) ?? schema
  )
}

/** Whether a kept item may come from this input: no kept property contradicts it. Cutting keeps beginnings. */
function sameItem(input: unknown, kept: unknown): boolean {
  if (!isObject(kept)) return typeof input === typeof kept
  if (!isObject(input)) return false
  return Object.keys(kept).every((key) => input[key] !== undefined && input[key] !== null) && fitsStart(input, kept)
}

function fitsStart(input: Record<string, unknown>, kept: Record<string, unknown>): boolean {
  for (const key of ['id', 'name', 'title', 'label'] as const) {
    const a = input[key]
    const b = kept[key]
    if (typeof b === 'string' && (typeof a !== 'string' || (name(limits.name)(a) ?? '').slice(0, b.length) !== b))
      return false
  }
  return true
}
