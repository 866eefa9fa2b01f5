/**
 * The routes for the reports and logs of agents (4). The listener calls them directly, without the router of the pages.
 */
import type { BareRoutes } from '../platform/http/listener.ts'
import type { Side } from './deps.ts'
import { logCall } from './log.ts'
import { reportCall } from './report.ts'

export const agentRoutes = (side: Side): BareRoutes => ({
  'POST /api/agent/v1/report': reportCall(side),
  'POST /api/agent/v1/log': logCall(side),
})
