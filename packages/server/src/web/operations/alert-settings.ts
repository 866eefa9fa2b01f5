/**
 * Carries out the operations on the settings for messages about alerts, and on the hours in which an agent is expected
 * to report.
 */
import { alertSettings } from '@svc/api'
import { hoursOf, setAgentHours, setAlertSettings, settingsOf } from '../../alerts/settings.ts'
import { acts, looks } from '../routing/operations.ts'

export const alertSettingOperations = [
  looks(alertSettings.alertSettings, ({ deps, workspace }) => settingsOf(deps.store.db, workspace)),
  acts(alertSettings.setAlertSettings, ({ workspace, ...ctx }, wanted) => setAlertSettings(ctx, workspace, wanted)),
  looks(alertSettings.agentHours, ({ deps, agent }) => hoursOf(deps.store.db, agent)),
  acts(alertSettings.setAgentHours, ({ agent, ...ctx }, { hours }) => setAgentHours(ctx, agent, hours), {
    agents: () => [],
  }),
]
