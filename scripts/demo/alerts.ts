/**
 * Adds a channel for alerts to the demo: a receiver of webhooks on this machine that prints each message. The rules get
 * delays that are short enough to watch. The broken link that link-checker finds opens an alert, and repairing the link
 * ends it.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DemoSetup, Operator } from './agents.ts'
import { namePrefix } from './fleet/members.ts'

/** The network address of the receiver. The demo's service has to be allowed to call it. */
export const receiverNetwork = '127.0.0.1/32'
const channel = 'terminal'
/** The rules that the demo changes, with the time for which each condition must hold before its alert opens. */
const rules = { warning: '0s', bad: '0s', item: '0s', silent: '10s' } as const
/** The maximum length of a message. A message about a fleet names each alert that opened since the message before. */
const maxBytes = 16 * 1024 * 1024
/** The maximum number of alerts of one message that are printed. More are counted. */
const maxLines = 5

/**
 * Adds the channel for alerts to the workspace, and sets the rules. Each message is printed with `print`, line by line,
 * until this process ends. With a large fleet, messages are grouped, and agents with a warning open no alerts.
 */
export async function startAlerts(
  setup: DemoSetup,
  operator: Operator,
  print: (line: string) => void,
  hasLargeFleet: boolean,
): Promise<void> {
  const url = await startReceiver(print)
  const { workspace } = setup
  const format = hasLargeFleet ? 'grouped' : 'single'
  await operator(setup, ['channel', 'add', workspace, channel, '--kind', 'webhook', '--url', url, '--format', format])
  for (const [rule, after] of Object.entries(rules))
    if (!hasLargeFleet || rule !== 'warning')
      await operator(setup, ['rule', 'set', workspace, rule, '--on', '--after', after])
}

async function startReceiver(print: (line: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => {
      if (body.length < maxBytes) body += piece
    })
    request.on('end', () => {
      const lines = linesOf(body)
      for (const line of lines) print(line)
      response.writeHead(lines.length === 0 ? 400 : 204).end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

interface Message {
  type?: unknown
  timestamp?: unknown
  data?: { summary?: unknown; alerts?: unknown }
}

/**
 * The lines to print for the body of a webhook, such as `alert.opened 14:02:11 UTC: mail-triage has been offline for 10
 * minutes`. None if the body is not a message about alerts. Of many alerts, those of simulated agents come last, and
 * only the first ones are printed.
 */
export function linesOf(body: string): string[] {
  let read: Message | null
  try {
    read = JSON.parse(body)
  } catch {
    return []
  }
  const alerts: unknown = read?.data?.alerts
  const all = (Array.isArray(alerts) ? alerts : [read]).flatMap((one: Message | null) => lineOf(one) ?? [])
  const lines = all.sort((a, b) => Number(a.includes(namePrefix)) - Number(b.includes(namePrefix)))
  if (lines.length <= maxLines) return lines
  return [...lines.slice(0, maxLines), `… and ${lines.length - maxLines} more, under Alerts on the page.`]
}

function lineOf(message: Message | null): string | undefined {
  if (typeof message?.type !== 'string' || typeof message.data?.summary !== 'string') return undefined
  const line = `${message.type} ${String(message.timestamp).slice(11, 19)} UTC: ${message.data.summary}`
  // The message may contain text from an agent. Control characters in that text must not reach the terminal.
  return line.replace(/\p{Cc}/gu, ' ')
}
