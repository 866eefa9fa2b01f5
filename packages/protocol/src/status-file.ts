/**
 * The status file (2.11): the parts of a report that an agent writes about itself. More properties are required than in
 * a report, and the reader lists unknown and dropped parts (D55).
 */
import { type Field, type FieldValue, field, type JsonSchema, list, number, object, text } from './fields.ts'
import { level } from './levels.ts'
import { limits } from './limits.ts'
import { Notes } from './notes.ts'
import { type Panel, panel, panelParts } from './panels.ts'
import { activeRun, runs, withNewestRuns } from './report.ts'

const wholePanel: Field<Panel> = field(
  (v, notes) => {
    const kept = panel(v, notes)
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
  runs,
  panels: list(wholePanel, limits.panels),
})
export type StatusFile = FieldValue<typeof statusFile>

interface StatusRead {
  status: StatusFile
  /**
   * The paths of properties in the status file that the contract does not know, such as `health[0].colour`; at most
   * ten.
   */
  unknown: string[]
  /**
   * The paths of parts of the status file that were dropped because something in them is missing or has the wrong type;
   * at most ten. If the file had too many runs, the first entry says so in words.
   */
  dropped: string[]
}

/**
 * Reads a parsed status file; `now` is in Unix milliseconds. Returns undefined if the parsed value is not an object,
 * which the runtime reports as a health item (2.11).
 */
export function readStatusFile(parsed: unknown, now: number): StatusRead | undefined {
  const notes = new Notes()
  const all = statusFile(parsed, notes)
  if (!all) return undefined
  const status = withNewestRuns(all, now)
  const [count, kept] = [all.runs?.length ?? 0, status.runs?.length ?? 0]
  const tooMany = count > kept ? [`runs (the oldest ${count - kept} of ${count})`] : []
  return { status, unknown: notes.unknownPaths, dropped: [...tooMany, ...notes.droppedPaths].slice(0, 10) }
}
