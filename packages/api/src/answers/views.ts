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
  /** True if the view belongs to the workspace, and false if it belongs to the person who asks. */
  shared: boolean
}
/** The request that saves a view. */
export interface NewView extends ViewOfFleet {
  name: string
  shared: boolean
  /** The id of the view of the same owner that this one replaces. Without it, the view of the same name is replaced. */
  replaces?: string
}
