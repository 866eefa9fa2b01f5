/**
 * Operations on the settings for the content of messages about alerts, and on the hours in which an agent should
 * report.
 */
import type { AgentHours, AlertSettings } from '../answers/alerts.ts'
import * as bounds from '../bounds.ts'
import { flag, object, orNull, pasted } from '../input.ts'
import { change, reading } from '../operation.ts'

const seen = ['alerts'] as const

export const alertSettings = reading<AlertSettings>()('GET /w/:slug/alert-settings', {
  says: 'say what messages about alerts of a workspace may contain',
})
export const setAlertSettings = change<AlertSettings>()('PATCH /w/:slug/alert-settings', {
  says: 'allow or forbid that messages about alerts contain what agents say about themselves in detail',
  input: object({ detail: flag }),
  audit: ['alert.settings_changed'],
  pages: seen,
  again: 'same',
  adds: bounds.settings,
})
export const agentHours = reading<AgentHours>()('GET /w/:slug/agents/:name/hours', {
  says: 'say in which hours an agent is expected to report',
})
export const setAgentHours = change<AgentHours>()('PUT /w/:slug/agents/:name/hours', {
  says: 'set the hours in which an agent is expected to report; outside of them its silence causes no alert',
  input: object({ hours: orNull(pasted({ max: 100 })) }),
  audit: ['agent.hours_changed'],
  pages: seen,
  again: 'same',
  adds: null,
})
