/** The table of views, which are named filters of the list of agents. */
export interface SavedViewTable {
  id: string
  workspace_id: string
  /** The membership that owns the view; null for a view of the workspace. */
  member_id: string | null
  name: string
  q: string
  /** The order of the list; null for the page's default order. */
  sort: string | null
  /** The columns of the list as a JSON array; null for the page's default columns. */
  columns: string | null
}
