/** The table of views, which are named filters of the list of agents. */
export interface SavedViewTable {
  id: string
  workspace_id: string
  /** The membership whose view it is; null for a view of the workspace. */
  member_id: string | null
  name: string
  q: string
  /** The order of the list; null for the order that the page has by itself. */
  sort: string | null
  /** The columns of the list as a JSON array; null for those that the page has by itself. */
  columns: string | null
}
