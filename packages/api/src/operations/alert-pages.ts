/** Operations that list alerts as pages show them: the open ones, the ended ones, and those of one agent. */
import type { AlertLine, AlertLines } from '../answers/alerts.ts'
import { count, query, words, yesOrNo } from '../input.ts'
import { look } from '../operation.ts'

export const alertLines = look<AlertLines>()('GET /w/:slug/alerts/lines', {
  says: 'list the open alerts of a workspace, or those that ended before the one that is named, newest first',
  input: query({ ended: yesOrNo, before: words, limit: count(200, 50) }),
})
export const agentAlerts = look<AlertLine[]>()('GET /w/:slug/agents/:name/alerts', {
  says: 'list the alerts of an agent of the last 30 days, newest first',
  input: query({ limit: count(200, 100) }),
})
