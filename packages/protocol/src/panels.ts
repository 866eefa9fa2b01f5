/** The four types of panels (2.3). */
import { either, type Field, type FieldValue, field, isObject, link, list, object, oneOf, text } from './fields.ts'
import { level } from './levels.ts'
import { limits } from './limits.ts'

const title = text(limits.name)

/** A field for an item of a list panel. An item without a title is dropped (2.1). */
const listItem = object({ title, url: link, meta: text(limits.name), badge: text(limits.name), level }, 'title')
const kvItem = object({ label: text(limits.name), value: text(limits.cell) }, 'label', 'value')

/** A field for a valid cell of a table: a text, or an object with a text and a link. */
const goodCell = either(text(limits.cell), object({ text: text(limits.cell), url: link }, 'text'))
/**
 * A field for any cell of a table. An invalid cell becomes an empty text: if it were dropped, the cells after it would
 * move under wrong headings.
 */
const cell = orEmpty(goodCell)
const row = list(cell, limits.columns)

const kinds = {
  list: object({ type: oneOf(['list']), title, items: list(listItem, limits.panelItems) }, 'type', 'title'),
  table: object(
    {
      type: oneOf(['table']),
      title,
      columns: list(orEmpty(title), limits.columns),
      rows: list(row, limits.panelItems),
    },
    'type',
    'title',
  ),
  kv: object({ type: oneOf(['kv']), title, items: list(kvItem, limits.panelItems) }, 'type', 'title'),
  text: object({ type: oneOf(['text']), title, lines: list(text(limits.line), limits.panelItems) }, 'type', 'title'),
} as const

export type PanelType = keyof typeof kinds
export type Panel = { [T in PanelType]: FieldValue<(typeof kinds)[T]> }[PanelType]
export type Cell = FieldValue<typeof goodCell>
const panelTypes = Object.keys(kinds) as PanelType[]
const isPanelType = (type: unknown): type is PanelType => (panelTypes as unknown[]).includes(type)

/**
 * A field for a panel. A panel of an unknown type is dropped, because it may come from an agent that uses a newer
 * contract (9.2).
 */
export const panel: Field<Panel> = field<Panel>(
  (v, notes, tidy) => {
    if (!isObject(v)) return undefined
    const type = v instanceof Map ? v.get('type') : v.type
    return isPanelType(type) ? kinds[type](v, notes, tidy) : undefined
  },
  { oneOf: Object.values(kinds).map((kind) => kind.schema) },
)

/** For each type of panel, the parts that it must have in a status file besides `type` and `title` (2.11). */
export const panelParts: Readonly<Record<PanelType, readonly string[]>> = {
  list: ['items'],
  table: ['columns', 'rows'],
  kv: ['items'],
  text: ['lines'],
}

function orEmpty<T>(good: Field<T>): Field<T | ''> {
  return field((v, notes, tidy) => {
    const kept = good(v, notes, tidy)
    if (kept === undefined) notes?.drop()
    return kept ?? ''
  }, good.schema)
}
