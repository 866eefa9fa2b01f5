/** The list of agents as a person chose it: its filter, order and columns, and how the page's address names them. */
import type { FleetColumn, FleetOrder, FleetSort } from '@svc/api'
import type { Grouping } from '@svc/api/filter'
import { trimInvisible } from '@svc/protocol'

/** The parameters of the page's address. `q` is the text of the filter, right or wrong. */
export interface FleetSearch {
  q?: string
  sort?: FleetSort
  /** True if the column is sorted in the direction opposite to the one of a first press on its heading. */
  reverse?: boolean
  /** The fact by which the agents are grouped. A link with `none` removes the groups (see `keepArrangement`). */
  group?: Grouping | 'none'
  /** `map` for the map of the agents. A link with `list` leads back to the list. */
  as?: 'list' | 'map'
}

/** The list as a person chose it, and as views keep it. `q` is the text of the filter as it was typed. */
export interface FleetListChoice {
  q: string
  sort: FleetOrder
  columns: readonly FleetColumn[]
}

/** The default order of the list: the worst agents first. */
export const defaultOrder: FleetOrder = '-level'

/**
 * True for a column if the first press on its heading sorts in descending order, so that the most interesting rows come
 * first: the worst, the latest, the most expensive.
 */
const down: Readonly<Record<FleetSort, boolean>> = {
  name: false,
  level: true,
  seen: true,
  cost_today: true,
  cost_30: true,
  version: true,
}

/**
 * Returns the order of the list of agents: by level with the worst first, unless the page's address names another
 * order.
 */
export function sortOf({ sort = 'level', reverse = false }: FleetSearch): { sort: FleetSort; desc: boolean } {
  return { sort, desc: down[sort] !== reverse }
}

/** Returns the parameters of the page's address that name the order of the list; none for the default order. */
export function addressOf(sort: FleetSort, desc: boolean): Pick<FleetSearch, 'sort' | 'reverse'> {
  return { ...(sort !== 'level' && { sort }), ...(desc !== down[sort] && { reverse: true }) }
}

/**
 * Returns the order of the list after a press on the heading of a column. A first press sorts in the column's first
 * direction, and each further press reverses the direction.
 */
export function orderAfterPress(search: FleetSearch, sort: FleetSort): Pick<FleetSearch, 'sort' | 'reverse'> {
  const order = sortOf(search)
  return addressOf(sort, order.sort === sort ? !order.desc : down[sort])
}

/** The order of the list in one word, such as `-level`. */
export function orderText(search: FleetSearch): FleetOrder {
  const { sort, desc } = sortOf(search)
  return desc ? `-${sort}` : sort
}

/** The parameters of the page's address for a filter and an order. */
export function searchFor({ q, sort }: Pick<FleetListChoice, 'q' | 'sort'>): FleetSearch {
  const desc = sort.startsWith('-')
  return {
    ...(trimInvisible(q) !== '' && { q: trimInvisible(q) }),
    ...addressOf((desc ? sort.slice(1) : sort) as FleetSort, desc),
  }
}

/** Keeps the groups and the map when a link changes only the filter, the order or the view of the list. */
export function keepArrangement({
  search,
  next,
}: {
  search: FleetSearch
  next: (search: FleetSearch) => FleetSearch
}): FleetSearch {
  const { group = search.group, as = search.as, ...rest } = next(search)
  return { ...rest, ...(group && group !== 'none' && { group }), ...(as === 'map' && { as }) }
}
