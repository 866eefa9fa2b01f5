/** Operations that list alerts as pages show them: the open ones, the ended ones, and those of one agent. */
import { type AlertLine, type AlertLines, type AlertTimeline, alertLevels } from '../answers/alerts.ts'
import { count, pastedWord, query, wordOf, words, yesOrNo } from '../input.ts'
import { reading } from '../operation.ts'
import { ruleNames } from '../words/rules.ts'

/** The alerts that are wanted: with these words in their subject, label or heading, of one rule, of one level. */
const wanted = { q: words, rule: wordOf(ruleNames, undefined), level: wordOf(alertLevels, undefined) }

/** The days that a timeline of alerts may show. */
const timelineDays = ['1', '7', '30'] as const

export const alertLines = reading<AlertLines>()('GET /w/:slug/alerts/lines', {
  says: 'list the open alerts of a workspace, or those that ended before the one that is named, newest first',
  input: query({ ended: yesOrNo, before: pastedWord, limit: count(200, 50), ...wanted }),
})
export const alertTimeline = reading<AlertTimeline>()('GET /w/:slug/alerts/timeline', {
  says: 'list the alerts of a workspace that were open within the last 1, 7 or 30 days, at most 5,000, for a timeline',
  input: query({ days: wordOf(timelineDays, '7'), ...wanted }),
})
export const agentAlerts = reading<AlertLine[]>()('GET /w/:slug/agents/:name/alerts', {
  says: 'list the alerts of an agent of the last 30 days, newest first',
  input: query({ limit: count(200, 100) }),
})
