/** The functions with which the tools of an assistant read, as one module that is loaded as a whole (assistant.ts). */
export { countAlerts, listAlerts } from '../../alerts/changes/listing.ts'
export { findAgent } from '../../fleet/agents/store.ts'
export { findNamed } from '../../people/accounts/store.ts'
export { rightsIn } from '../../people/workspaces/rights.ts'
export { findWorkspace } from '../../people/workspaces/store.ts'
export { agentSnapshot, listAgents } from '../../web/queries/agents.ts'
export { readHistoryChanges } from '../../web/queries/changes.ts'
export { readRuns } from '../../web/queries/runs.ts'
