/**
 * Writes what is sent to a channel: the text for chats and the body for webhooks, in the format that the channel is set
 * to.
 */
import { withReachNote } from '../../deliveries/channels/call.ts'
import type { MessageWriter } from '../../deliveries/writer.ts'
import {
  type AlertChange,
  cleanChange,
  foldChanges,
  groupedBody,
  isoTime,
  linkOf,
  messageTextOf,
  singleBody,
} from './message.ts'
import { alertsUrl } from './recipients.ts'

/** Makes the writer of messages about alerts, which deliveries use. */
export const alertWriter = (baseUrl: string): MessageWriter<AlertChange> => ({
  fold: foldChanges,
  write: ({ format }, stored, now) => {
    const changes = stored.map(cleanChange)
    const [first] = changes
    const workspace = first?.workspace ?? ''
    const body = format === 'single' && first ? singleBody(first) : groupedBody(workspace, changes, now)
    const settingsUrl = alertsUrl(baseUrl, workspace)
    return {
      text: withReachNote(messageTextOf(workspace, changes, settingsUrl)),
      body: JSON.stringify(body),
      settingsUrl,
    }
  },
  test: (workspace, { name, format }, now) => {
    const url = alertsUrl(baseUrl, workspace)
    const summary = `This is a test of the channel ${name}`
    const one = { type: 'test', timestamp: isoTime(now), data: { workspace, summary, ...linkOf(url) } }
    const grouped = { type: 'alerts', timestamp: isoTime(now), data: { workspace, alerts: [one] } }
    const lines = [`Workspace ${workspace}. Alerts will arrive here.`]
    return {
      text: withReachNote({ title: summary, lines, url, level: null }),
      body: JSON.stringify(format === 'single' ? one : grouped),
      settingsUrl: url,
    }
  },
})
