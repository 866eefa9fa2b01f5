/** An agent of a storm: reports to any node, one after the other, applies each command once, acks it in the next report. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ack } from '../checker/lines.ts'
import { offering } from '../service.ts'
import type { Storm } from './storm.ts'

export interface Reporter {
  id: string
  workspace_id: string
  name: string
  /** The token it has; replaced by whoever rotates it. */
  token: string
  /** Runs that it sends first, so that the newest 2000 are what counts (I8). */
  fill: number
  /** The version of the blueprint that it runs; null for one without. */
  version: string | null
}

let numbered = 0

export async function reportOn(storm: Storm, agent: Reporter): Promise<void> {
  const seen = new Set<string>()
  let outbox: Ack[] = []
  for (let filled = 0; filled < agent.fill; filled += 500) await fill(storm, agent, filled)
  while (!storm.over()) {
    const acks = outbox
    const answered = await reportOnce(storm, agent, acks)
    if (answered) {
      outbox = outbox.filter((ack) => !acks.includes(ack))
      for (const id of answered) {
        if (seen.has(id)) continue // its journal knows it; the checker says that it came twice
        seen.add(id)
        const ok = storm.random() < 0.8
        if (ok) storm.note({ kind: 'apply', at: Date.now(), agent: agent.id, command: id })
        outbox.push({ id, ok })
      }
    }
    await sleep(storm.pause * (0.5 + storm.random()))
  }
}

/** The commands of the answer; undefined when it was none that a reporter counts as one (D17). */
async function reportOnce(storm: Storm, agent: Reporter, acks: Ack[]): Promise<string[] | undefined> {
  const report = `${agent.name}-${++numbered}`
  const { id, token } = agent
  const run = { id: `run of ${report}`, place: (1_790_000_000 + Math.floor(storm.random() * 1_000_000)) * 1000 }
  const body = {
    protocol: 1,
    ...offering,
    state: { level: 'ok', label: report, detail: report },
    gauges: [{ name: report, used: 0.5 }],
    panels: [{ type: 'text', title: 'report', lines: [report] }],
    runs: [{ id: run.id, started: run.place / 1000, cost_usd: 0.01 }],
    acks,
    ...(agent.version && { applied: { version: agent.version, outcome: 'ok', message: 'installed' } }),
  }
  storm.note({ kind: 'send', at: Date.now(), report, agent: id, token, acks, run })
  const reply = await storm.post('/api/agent/v1/report', body, { authorization: `Bearer ${token}` })
  if (!reply) return undefined
  const { commands = [], desired } = reply.json as { commands?: { id: string }[]; desired?: { version: string } }
  const ids = commands.map((command) => command.id)
  const retryAfter = reply.headers.has('retry-after')
  const line = { report, status: reply.status, retryAfter, commands: ids, desired: desired?.version }
  storm.note({ kind: 'answer', at: Date.now(), ...line })
  if (reply.status === 429) await sleep(1000)
  return reply.status === 200 ? ids : undefined
}

async function fill(storm: Storm, agent: Reporter, from: number): Promise<void> {
  const runs = Array.from({ length: 500 }, (_, i) => ({ id: `old ${from + i}`, started: 1_789_500_000 + from + i }))
  while (!storm.over()) {
    const reply = await storm.post(
      '/api/agent/v1/report',
      { protocol: 1, runs },
      { authorization: `Bearer ${agent.token}` },
    )
    if (reply?.status === 200) return
    await sleep(100)
  }
}
