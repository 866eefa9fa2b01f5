/**
 * Carries out the operations on alerts, mutes, rules, channels and deliveries, on the settings for messages, and on the
 * hours in which an agent is expected to report.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { alerts, type ChannelTest, channels, type RuleSettings } from '@svc/api'
import { acknowledgeAlert, acknowledgeAlerts } from '../../alerts/changes/acknowledging.ts'
import {
  addChannel,
  disableChannel,
  enableChannel,
  findChannelTest,
  listChannels,
  type QueuedTestRef,
  removeChannel,
  testAnswer,
  testChannel,
} from '../../alerts/changes/channels.ts'
import { listDeliveries, retryDelivery } from '../../alerts/changes/deliveries.ts'
import { listAlerts, listMutes, listRules, ruleRows } from '../../alerts/changes/listing.ts'
import { liftMute, muteAlerts } from '../../alerts/changes/muting.ts'
import { setRule } from '../../alerts/changes/rules.ts'
import { alertWriter } from '../../alerts/messages/writing.ts'
import { readAlertSettings, readExpectedHours, setAgentHours, setAlertSettings } from '../../alerts/settings.ts'
import { sendersOf } from '../../deliveries/senders.ts'
import { sendTest } from '../../deliveries/serving.ts'
import type { Config } from '../../platform/base.ts'
import { secretOf } from '../../platform/data-folder.ts'
import { newId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { sealKeyOf } from '../../platform/seal.ts'
import { agentAlerts, alertLines, alertTimeline } from '../queries/alerts.ts'
import type { Deps } from '../routing/deps.ts'
import { bindChange, bindReading } from '../routing/operations.ts'

/**
 * The milliseconds between two reads of the result of a test message, and the maximum wait for the result. Other
 * deliveries may be sent before the test message.
 */
const testWaits = { everyMs: 200, maxMs: 60_000 } as const

/** The settings of the service that decide which channels can be added, and the key that encrypts their secrets. */
export const channelNeedsOf = ({ dataDir, outboundAllow: allowed, smtpUrl }: Config) => ({
  key: sealKeyOf(secretOf(dataDir)),
  allowed,
  mails: smtpUrl !== undefined,
})

/**
 * Waits, for at most a minute, until the test message was tried, and returns the receiver's answer. If `isAlone` is
 * true, this process sends the message itself, because the service may not be running.
 */
export async function answerOfTest(
  { store, config, now, isAlone = false }: Pick<Deps, 'store' | 'config' | 'now'> & { isAlone?: boolean },
  { deliveryId, channelId }: QueuedTestRef,
): Promise<ChannelTest> {
  const log = { warn: () => {} }
  const written = { ...channelNeedsOf(config), senders: sendersOf(config), writer: alertWriter(config.baseUrl) }
  const parts = { store, log, now, node: newId(now()), ...written }
  for (let waited = 0; waited < testWaits.maxMs; waited += testWaits.everyMs) {
    if (isAlone) await sendTest(parts, channelId, deliveryId)
    const answer = await testAnswer(store.db, deliveryId)
    if (answer.state !== 'waiting') return answer
    await wait(testWaits.everyMs)
  }
  return { ok: false, status: null, message: 'The test is still waiting to be sent: look at the deliveries later.' }
}

export const alertOperations = [
  bindReading(alerts.alertLines, ({ deps, workspace, now }, { ended = false, ...asked }) =>
    alertLines(deps.store.db, workspace, { ended, ...asked, now }),
  ),
  bindReading(alerts.alertTimeline, ({ deps, workspace, now }, { days, ...wanted }) =>
    alertTimeline(deps.store.db, workspace, { days: Number(days), now, ...wanted }),
  ),
  bindReading(alerts.agentAlerts, ({ deps, agent, now }, { limit }) => agentAlerts(deps.store.db, agent, limit, now)),
  bindReading(alerts.alerts, ({ deps, workspace }, { all = false, limit }) =>
    listAlerts(deps.store.db, workspace, { all, limit }),
  ),
  bindChange(alerts.acknowledgeAlert, ({ workspace, params: { id }, people, ...ctx }, { note }) =>
    acknowledgeAlert(ctx, workspace, { id, note, baseUrl: people.config.baseUrl }),
  ),
  bindChange(alerts.acknowledgeAlerts, ({ workspace, people, ...ctx }, { ids, note }) =>
    acknowledgeAlerts(ctx, workspace, { ids, note, baseUrl: people.config.baseUrl }),
  ),
  bindChange(alerts.muteAlerts, ({ workspace, ...ctx }, wanted) => muteAlerts(ctx, workspace, wanted)),
  bindReading(alerts.mutes, ({ deps, workspace }) => listMutes(deps.store.db, workspace)),
  bindChange(alerts.liftMute, ({ workspace, params, ...ctx }) => liftMute(ctx, workspace, params.id)),
  bindReading(alerts.rules, ({ deps, workspace, now }) => listRules(deps.store.db, workspace, now)),
  bindChange(
    alerts.setRule,
    ({ workspace, people, ...ctx }, wanted) =>
      setRule({ ...ctx, heard: people.live.nodesHeard?.() ?? [] }, workspace, wanted),
    {
      answer: async (rule, { deps, workspace, now }) => {
        const [row] = await ruleRows(deps.store.db, workspace, [rule], now)
        return row as RuleSettings
      },
    },
  ),
  bindReading(channels.channels, ({ deps, workspace, role }) => listChannels(deps.store.db, workspace, role)),
  bindChange(channels.addChannel, ({ workspace, people, ...ctx }, wanted) =>
    addChannel({ ...ctx, ...channelNeedsOf(people.config) }, workspace, wanted),
  ),
  bindChange(
    channels.testChannel,
    ({ workspace, params, ...ctx }) => testChannel(ctx, { scope: workspace }, params.channel),
    // The answer does not wait for the receiver: the page reads the result by the id (channelTest).
    { answer: ({ deliveryId: id }) => ({ id }) },
  ),
  bindReading(channels.channelTest, async ({ deps, workspace, params }) => {
    const found = await findChannelTest(deps.store.db, { scope: workspace }, params)
    if (!found) throw new Refusal('delivery_unknown')
    return found
  }),
  bindChange(channels.enableChannel, ({ workspace, params, ...ctx }) =>
    enableChannel(ctx, { scope: workspace }, params.channel),
  ),
  bindChange(channels.disableChannel, ({ workspace, params, ...ctx }) =>
    disableChannel(ctx, { scope: workspace }, params.channel),
  ),
  bindChange(channels.removeChannel, ({ workspace, params, ...ctx }) =>
    removeChannel(ctx, { scope: workspace }, params.channel),
  ),
  bindReading(channels.deliveries, ({ deps, workspace }, asked) => listDeliveries(deps.store.db, workspace, asked)),
  bindChange(channels.retryDelivery, ({ workspace, params, ...ctx }) => retryDelivery(ctx, workspace, params.id)),
  bindReading(alerts.alertSettings, ({ deps, workspace }) => readAlertSettings(deps.store.db, workspace)),
  bindChange(alerts.setAlertSettings, ({ workspace, ...ctx }, wanted) => setAlertSettings(ctx, workspace, wanted)),
  bindReading(alerts.agentHours, ({ deps, agent }) => readExpectedHours(deps.store.db, agent)),
  bindChange(alerts.setAgentHours, ({ agent, ...ctx }, { hours }) => setAgentHours(ctx, agent, hours), {
    agents: () => [],
  }),
]
