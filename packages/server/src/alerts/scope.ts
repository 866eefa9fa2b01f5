/** The scopes of alerts: the workspaces, and the service itself. */

/** A reference to a workspace, or to the service itself, which has alerts as well. */
export interface ScopeRef {
  id: string
  slug: string
}

/** The scope of alerts about the service itself, which belong to no workspace. */
export const serviceScope = '@service'

/** The scope of alerts by its id. `workspaceId` is null for the service itself. */
export interface AlertScope {
  id: string
  workspaceId: string | null
}
/** The scope of the workspace with this id. For the id `@service`, the result is the scope of the service. */
export const scopeOf = ({ id }: { id: string }): AlertScope => ({ id, workspaceId: id === serviceScope ? null : id })
