/** Removes the mark of an agent from the environment that this program hands on. */

/** The variables that mark a process as started by an agent (2.12). */
export const dirMarkVariable = 'SVC_AGENT_DIR'
export const startedMarkVariable = 'SVC_AGENT_STARTED'

/**
 * Removes the mark of an agent from an environment. An agent may call svc, for example to start another agent; without
 * this function, the processes that svc starts would carry the mark of the calling agent, and would be ended with it.
 */
export function removeAgentMark(env: Record<string, string | undefined> = process.env): void {
  delete env[dirMarkVariable]
  delete env[startedMarkVariable]
}
