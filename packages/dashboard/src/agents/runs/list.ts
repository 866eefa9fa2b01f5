/** The orders and filters of the list of runs, and the props that its table and its cards share. */
import type { RunSort } from '@svc/api'
import type { Run } from '@svc/protocol'
import type { Agent } from '../parts/agent.ts'

/** An order of the list of runs. */
export interface RunOrder {
  readonly sort: RunSort
  /** True for the oldest, shortest or cheapest runs first. */
  readonly rising: boolean
}

/** The filters of the list, by their names in the page's address. A filter that is '' is off. */
export interface RunFilter {
  readonly text: string
  readonly job: string
  readonly status: string
  readonly model: string
}
export type RunFilterKey = Exclude<keyof RunFilter, 'text'>
/** The name of each filter on the page. */
export const runFilterWords: Readonly<Record<RunFilterKey, string>> = { job: 'Job', status: 'Status', model: 'Model' }

/** The props that the table and the cards of runs share. */
export interface RunListProps {
  agent: Agent
  runs: readonly Run[]
  order: RunOrder
  onOrder: (order: RunOrder) => void
  /** The id of the run whose details are open; empty if none are. The page's address names it. */
  opened: string
  /** True if the list shows only the runs of one job, and therefore neither their kind nor their subjects. */
  isOneJob: boolean
  toggle: (id: string) => void
}

const sorts: readonly RunSort[] = ['started', 'cost', 'duration']

/** The order that the page's address names; newest first if it names none. */
export const readRunOrder = (sort: string, order: string): RunOrder => ({
  sort: sorts.find((each) => each === sort) ?? 'started',
  rising: order === 'rising',
})

/** The keys of an order in the page's address. A key with its default is undefined, so the address does not have it. */
export const addressOfOrder = ({ sort, rising }: RunOrder) => ({
  sort: sort === 'started' ? undefined : sort,
  order: rising ? 'rising' : undefined,
})

/** The order after a press on a heading: the largest first, or the reverse if the list had this order already. */
export const pressedOrder = (order: RunOrder, sort: RunSort): RunOrder => ({
  sort,
  rising: order.sort === sort && !order.rising,
})

/** The orders that a menu offers. */
export const runOrders: readonly (readonly [words: string, order: RunOrder])[] = [
  ['Newest first', { sort: 'started', rising: false }],
  ['Oldest first', { sort: 'started', rising: true }],
  ['Longest first', { sort: 'duration', rising: false }],
  ['Shortest first', { sort: 'duration', rising: true }],
  ['Highest cost first', { sort: 'cost', rising: false }],
  ['Lowest cost first', { sort: 'cost', rising: true }],
]
