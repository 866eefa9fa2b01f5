/** Operations on views, which are named filters of the list of agents. */
import type { NewView, SavedView } from '../answers/views.ts'
import * as bounds from '../bounds.ts'
import { flag, InputRefused, list, object, oneOf, optional, orNull, pasted, type Reader, reader } from '../input.ts'
import { change, reading } from '../operation.ts'
import { fleetColumns, fleetOrders } from './agents.ts'
import { slugArgument } from './arguments.ts'
import { filterText } from './filter-text.ts'

const nameArgument = ['<name>', 'the name of the view, as svc-server view list shows it'] as const
const pages = { none: 'a page reads the views when it is opened, and when its window gets the focus' }
const maxName = 60
const maxId = 60

const typedName = pasted()
const name: Reader<string> = reader(typedName.form, (value, field) => {
  const read = typedName(value, field)
  const { length } = [...read]
  if (length > 0 && length <= maxName) return read
  throw new InputRefused(`The name of a view must have 1 to ${maxName} characters: got ${length}.`, 'name_invalid')
})
const someColumns = list(oneOf(fleetColumns), fleetColumns.length)
const columns: Reader<(typeof fleetColumns)[number][]> = reader(someColumns.form, (value, field) => {
  const read = someColumns(value, field)
  const twice = read.find((one, i) => read.indexOf(one) !== i)
  if (twice === undefined) return read
  throw new InputRefused(`${field} must name each column once: got "${twice}" twice.`)
})
const shape = object({
  name,
  shared: optional(flag),
  q: filterText,
  sort: optional(orNull(oneOf(fleetOrders))),
  columns: optional(orNull(columns)),
  replaces: optional(pasted({ max: maxId })),
})
const newView: Reader<NewView, Omit<NewView, 'shared' | 'sort' | 'columns'> & Partial<NewView>> = reader(
  shape.form,
  (value, field) => {
    const { shared = false, sort = null, columns: chosen = null, ...read } = shape(value, field)
    return { ...read, shared, sort, columns: chosen }
  },
)

export const views = reading<SavedView[]>()('GET /w/:slug/views', {
  says: 'list the views of a workspace, and your own',
  command: { name: 'view list', args: [slugArgument] },
})
export const setView = change<SavedView>()('PUT /w/:slug/views', {
  right: 'member',
  says: 'save a view of the list of agents for yourself, or for the workspace if you are an admin; one of the same name is replaced',
  input: newView,
  makes: true,
  audit: ['view.saved', 'view.renamed'],
  pages,
  again: 'same',
  adds: bounds.views,
  command: {
    name: 'view set',
    args: [slugArgument, ['<name>', 'the name of the view, 1 to 60 characters']],
    options: [['--filter <filter>', 'the agents that the view shows, as in svc-server agent list']],
  },
})
export const removeView = change<{ ok: true }>()('DELETE /w/:slug/views/:id', {
  right: 'member',
  says: 'remove one of your own views, or one of the workspace if you are an admin',
  audit: ['view.removed'],
  pages,
  again: 'refused',
  adds: null,
  command: { name: 'view remove', args: [slugArgument, nameArgument] },
})
