import type { AgentDeps } from '../../agent-api/deps.ts'
import type { Auth } from '../../people/accounts/auth.ts'

/** The dependencies of the routes for people: those of the routes for agents, and what accounts need. */
export interface Deps extends AgentDeps {
  auth: Auth
  /** Starts a round of the sweeper at once, to continue a long change. Absent in a command without the service. */
  hurrySweeper?(): void
  /** Aborted when the service stops. Absent in a command without the service. */
  stopping?: AbortSignal
}
