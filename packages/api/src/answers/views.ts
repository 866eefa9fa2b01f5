/** Views: named filters of the list of agents. */
import type { FleetColumn, FleetOrder } from './fleet.ts'

interface ViewOfFleet {
  /** The filter; empty for all agents. */
  q: string
  /** The order of the list; null for the page's default order. */
  sort: FleetOrder | null
  /** The columns of the list; null for the page's default columns. */
  columns: FleetColumn[] | null
}
/** A view as the service keeps it. */
export interface SavedView extends ViewOfFleet {
  id: string
  name: string
  /** True if the view belongs to the workspace; false if it belongs to the signed-in person. */
  shared: boolean
}
/** The request that saves a view. */
export interface NewView extends ViewOfFleet {
  name: string
  shared: boolean
  /** The id of the view that this view replaces. If absent, a view of the same owner with the same name is replaced. */
  replaces?: string
}
