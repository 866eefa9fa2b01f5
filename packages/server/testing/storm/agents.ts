/**
 * Simulates an agent in a storm (storm.ts). The agent sends one report after the other to any node, applies each
 * command once, acks it in the next report, and tries the versions that answers name, with or without success.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, AppliedUpdate } from '@svc/protocol'
import type { Ack, Of } from '../checker/lines.ts'
import { offering } from '../service.ts'
import type { Reporter, Runtime, Storm } from './roles.ts'

let numbered = 0

export async function reportOn(storm: Storm, agent: Reporter): Promise<void> {
  const seen = new Set<string>()
  let outbox: Ack[] = []
  for (let filled = 0; filled < agent.fill; filled += 500) await fill(storm, agent, filled)
  while (!storm.over() && !agent.gone) {
    const acks = outbox
    const answered = await reportOnce(storm, agent, acks)
    if (answered) {
      outbox = outbox.filter((ack) => !acks.includes(ack))
      for (const { id } of answered.commands) {
        // The agent has applied this command before, so it ignores the second delivery. The checker reports that an
        // answer delivered the command twice.
        if (seen.has(id)) continue
        seen.add(id)
        const ok = storm.random() < 0.8
        if (ok) storm.note({ kind: 'apply', at: Date.now(), agent: agent.id, command: id })
        outbox.push({ id, ok })
      }
      follow(storm, agent, answered)
    }
    await sleep(storm.pause * (0.5 + storm.random()))
  }
}

/**
 * Sends a report and returns the answer; undefined if the response is not an answer that a reporter would accept (D17).
 */
async function reportOnce(storm: Storm, agent: Reporter, acks: Ack[]): Promise<Answer | undefined> {
  const number = ++numbered
  const report = `${agent.name}-${number}`
  const { id, token, version, applied, runtime } = agent
  const run = { id: `run of ${report}`, place: (1_790_000_000 + Math.floor(storm.random() * 1_000_000)) * 1000 }
  const body = {
    protocol: 1,
    ...offering,
    state: { level: 'ok', label: report, detail: report },
    gauges: [{ name: report, used: 0.5 }],
    panels: [{ type: 'text', title: 'report', lines: [report] }],
    runs: [{ id: run.id, started: run.place / 1000, cost_usd: 0.01 }],
    acks,
    ...(version && { applied: applied ?? { version, outcome: 'ok', message: 'installed' } }),
    ...(runtime && { runtime: saidOf(runtime), boot: agent.id, seq: number }),
  }
  const says = runtime && { version: saidOf(runtime).version, ...(runtime.news && { ends: runtime.news }) }
  if (runtime) runtime.news = undefined
  storm.note({ kind: 'send', at: Date.now(), report, agent: id, token, acks, run, runtime: says })
  const reply = await storm.post('/api/agent/v1/report', body, { authorization: `Bearer ${token}` })
  if (!reply) return undefined
  const answer = reply.json as Answer
  storm.note({ kind: 'answer', at: Date.now(), report, status: reply.status, ...answerNote(answer, reply.headers) })
  if (reply.status === 429) await sleep(1000)
  return reply.status === 200 ? answer : undefined
}

const answerNote = ({ commands = [], desired, runtime, runtime_desired }: Partial<Answer>, headers: Headers) =>
  ({
    retryAfter: headers.has('retry-after'),
    commands: commands.map(({ id }) => id),
    desired: desired?.version,
    served: runtime?.version,
    runtime: runtime_desired,
  }) satisfies Partial<Of<'answer'>>

/**
 * The part `runtime` of a report. During a trial it names the new version as running, with the outcome of the update
 * before (3.4).
 */
const saidOf = ({ version, applied, trial }: Runtime) => ({
  version: trial?.to ?? version,
  ...(trial && { previous: version }),
  ...(applied && { applied }),
})

/** Starts the updates to the versions that an answer names, and ends trials whose time is over. */
function follow(storm: Storm, agent: Reporter, { desired, runtime_desired: wished }: Answer): void {
  const { runtime } = agent
  if (runtime?.trial) {
    if (--runtime.trial.left <= 0) endTrial(storm, runtime, runtime.trial.to)
  } else if (runtime && wished !== undefined && wished !== runtime.version) {
    if (storm.random() < 0.2) outcomeOf(runtime, 'failed', runtime.version, wished)
    else runtime.trial = { to: wished, left: 1 + Math.floor(storm.random() * 3) }
  }
  const from = agent.version
  if (desired === undefined || from === null || desired.version === from || storm.random() < 0.5) return
  const outcome = storm.random() < 0.7 ? 'ok' : 'rolled_back'
  if (outcome === 'ok') agent.version = desired.version
  agent.applied = applied(outcome, agent.version ?? from, from, desired.version)
}

function endTrial(storm: Storm, runtime: Runtime, to: string): void {
  const from = runtime.version
  const good = storm.random() < 0.7
  if (good) runtime.version = to
  runtime.trial = undefined
  outcomeOf(runtime, good ? 'ok' : 'rolled_back', from, to)
}

function outcomeOf(runtime: Runtime, outcome: NonNullable<AppliedUpdate['outcome']>, from: string, to: string): void {
  runtime.applied = applied(outcome, runtime.version, from, to)
  runtime.news = outcome
}

/**
 * Makes an outcome of an update. Its message differs from all other messages, because the service tells attempts apart
 * by their messages (D34).
 */
const applied = (
  outcome: NonNullable<AppliedUpdate['outcome']>,
  version: string,
  from: string,
  to: string,
): AppliedUpdate => ({
  version,
  outcome,
  message: `${from} -> ${to}, ${new Date().toISOString()}: ${++numbered}`,
})

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
