/** Operations on views, which are named filters of the list of agents. */
import { clean } from '@svc/protocol'
import type { NewView, SavedView } from '../answers/views.ts'
import { flag, InputRefused, list, object, oneOf, optional, orNull, pasted, type Reader, text } from '../input.ts'
import { change, look } from '../operation.ts'
import { fleetColumns, fleetOrders } from './agents.ts'
import { slugArgument } from './arguments.ts'

const nameArgument = ['<name>', 'the name of the view, as svc-server view list shows it'] as const
const pages = { none: 'a page reads the views when it is opened, and when its window gets the focus' }
const maxName = 60
const maxId = 60

const name: Reader<string> = (value, field) => {
  const read = pasted()(value, field)
  const { length } = [...read]
  if (length > 0 && length <= maxName) return read
  throw new InputRefused(`The name of a view must have 1 to ${maxName} characters: got ${length}.`, 'name_invalid')
}
/** Reads the text of a filter. The service reads the filter itself, since its refusal says where the mistake is. */
const filter: Reader<string> = (value, field) => {
  const read = text()(value, field)
  if (clean(read) === read) return read
  throw new InputRefused(`${field} holds a character that cannot be shown. Type the filter instead of pasting it.`)
}
const columns: Reader<(typeof fleetColumns)[number][]> = (value, field) => {
  const read = list(oneOf(fleetColumns), fleetColumns.length)(value, field)
  const twice = read.find((one, i) => read.indexOf(one) !== i)
  if (twice === undefined) return read
  throw new InputRefused(`${field} must name each column once: got "${twice}" twice.`)
}
const shape = object({
  name,
  shared: optional(flag),
  q: filter,
  sort: optional(orNull(oneOf(fleetOrders))),
  columns: optional(orNull(columns)),
  replaces: optional(text(maxId)),
})
const newView: Reader<NewView, Omit<NewView, 'shared' | 'sort' | 'columns'> & Partial<NewView>> = (value, field) => {
  const { shared = false, sort = null, columns: chosen = null, ...read } = shape(value, field)
  return { ...read, shared, sort, columns: chosen }
}

export const views = look<SavedView[]>()('GET /w/:slug/views', {
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
  command: { name: 'view remove', args: [slugArgument, nameArgument] },
})
