/**
 * The routes for the reports and logs of agents (4). The listener calls them directly, without the router of the pages.
 */
import type { BareRoutes } from '../platform/http/listener.ts'
import type { AgentParts } from './deps.ts'
import { logCall } from './log.ts'
import { reportCall } from './report.ts'

export const agentRoutes = (parts: AgentParts): BareRoutes => ({
  'POST /api/agent/v1/report': reportCall(parts),
  'POST /api/agent/v1/log': logCall(parts),
})
