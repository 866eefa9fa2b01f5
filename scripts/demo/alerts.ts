/**
 * Adds a channel for alerts to the demo: a receiver of webhooks on this machine that prints each message. The rules get
 * delays that are short enough to watch. The broken link that link-checker finds opens an alert, and repairing the link
 * ends it.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DemoSetup, Operator } from './agents.ts'

/** The network address of the receiver. The demo's service has to be allowed to call it. */
export const receiverNetwork = '127.0.0.1/32'
const channel = 'terminal'
/** The rules that the demo changes, with the time for which each condition must hold before its alert opens. */
const rules = { warning: '0s', bad: '0s', silent: '10s' } as const
const maxBytes = 64 * 1024

/**
 * Adds the channel for alerts to the workspace and sets the rules. `print` gets one line for each message. The receiver
 * ends with this process.
 */
export async function startAlerts(setup: DemoSetup, operator: Operator, print: (line: string) => void): Promise<void> {
  const url = await receiver(print)
  const { workspace } = setup
  await operator(setup, ['channel', 'add', workspace, channel, '--kind', 'webhook', '--url', url, '--format', 'single'])
  for (const [rule, after] of Object.entries(rules))
    await operator(setup, ['rule', 'set', workspace, rule, '--on', '--after', after])
}

async function receiver(print: (line: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => {
      if (body.length < maxBytes) body += piece
    })
    request.on('end', () => {
      const line = lineOf(body)
      if (line !== undefined) print(line)
      response.writeHead(line === undefined ? 400 : 204).end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/**
 * The line to print for the body of a webhook, such as `alert.opened 14:02:11 UTC: mail-triage has been offline for 10
 * minutes`. Undefined if the body is not a message about an alert.
 */
export function lineOf(body: string): string | undefined {
  let read: { type?: unknown; timestamp?: unknown; data?: { summary?: unknown } } | null
  try {
    read = JSON.parse(body)
  } catch {
    return undefined
  }
  if (typeof read?.type !== 'string' || typeof read.data?.summary !== 'string') return undefined
  const line = `${read.type} ${String(read.timestamp).slice(11, 19)} UTC: ${read.data.summary}`
  // The message may contain text from an agent. Control characters in that text must not reach the terminal.
  return line.replace(/\p{Cc}/gu, ' ')
}
