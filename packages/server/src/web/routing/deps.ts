import type { AgentDeps } from '../../agent-api/deps.ts'
import type { Auth } from '../../people/accounts/auth.ts'

/** The dependencies of everything that people can do. Agents have no accounts, so `auth` is only here. */
export interface Deps extends AgentDeps {
  auth: Auth
  /**
   * Begins a round of the sweeper at once, which continues the work that a change has left. Absent in a command that
   * runs without the service.
   */
  hurrySweeper?(): void
  /** Aborted when the service stops. Absent in a command that runs without the service. */
  stopping?: AbortSignal
}
