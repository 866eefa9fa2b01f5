/** Lets the agents of the simulated fleet report over HTTP, and carry out the commands in the answers. */
import { Agent } from 'node:http'
import { type Ack, clampInterval, limits, readAnswer } from '@svc/protocol'
import { send } from '../../../packages/server/testing/send.ts'
import type { Member } from './members.ts'
import { type AgentHistory, historyOf, obey, reportOf } from './report.ts'
import { endTrial, takeWish } from './updates.ts'

/** The number of connections that all agents share, and of first reports that are sent at a time. */
const connections = 16
/** The number of first reports after which the progress is printed. */
const progressEvery = 1000
const lookMs = 100

export class SimulatedAgent {
  readonly member: Member
  readonly #token: string
  readonly #port: number
  #history: AgentHistory
  #acks: Ack[] = []
  #interval: number = limits.intervalSeconds
  #hasReported = false

  constructor(member: Member, token: string, port: number) {
    this.member = member
    this.#token = token
    this.#port = port
    this.#history = historyOf(member, seconds())
  }

  /** The seconds between two reports, as the service last asked for. */
  get interval(): number {
    return this.#interval
  }

  /**
   * Sends one report. If the service cannot be reached or refuses it, the next report has the same acks, and the agent
   * goes on as before (section 1, rule 2).
   */
  async report(more: { stopped?: 'person' } = {}): Promise<void> {
    const acks = this.#acks
    const now = seconds()
    this.#history = { ...this.#history, update: endTrial(this.member, this.#history.update, now) }
    const body = {
      ...reportOf(this.member, this.#history, now, !this.#hasReported),
      ...(acks.length > 0 && { acks }),
      ...more,
    }
    const reply = await send(
      { port: this.#port },
      {
        token: this.#token,
        body: JSON.stringify(body),
        headers: { Host: `localhost:${this.#port}` },
        agent: pool,
        timeoutMs: limits.requestSeconds * 1000,
      },
    ).catch(() => undefined)
    const answer = reply?.status === 200 ? readAnswer(Buffer.from(reply.text)) : undefined
    if (!answer?.ok) return
    this.#hasReported = true
    this.#acks = this.#acks.filter((ack) => !acks.includes(ack))
    this.#interval = clampInterval(answer.value.interval, this.#interval)
    for (const command of answer.value.commands) {
      const { history, ack } = obey(this.member, this.#history, command, seconds())
      this.#history = history
      this.#acks.push(ack)
    }
    const { desired } = answer.value
    if (desired) this.#history = { ...this.#history, update: takeWish(this.#history.update, desired, seconds()) }
  }
}

const pool = new Agent({ keepAlive: true, maxSockets: connections })

/**
 * Sends the first report of each agent as fast as the service answers, and tells how many have been sent. When the
 * promise resolves, the agents that report more than once go on, each at its own offset in the interval, until `signal`
 * is aborted.
 */
export async function startReporting(
  agents: readonly SimulatedAgent[],
  tell: (done: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const queue = agents.filter(({ member }) => member.condition.reports !== 'never').values()
  let done = 0
  const begin = async () => {
    for (const agent of queue) {
      await agent.report()
      if (agent.member.condition.reports === 'stops') await agent.report({ stopped: 'person' })
      if (++done % progressEvery === 0) tell(done)
    }
  }
  await Promise.all(Array.from({ length: connections }, begin))
  keepReporting(
    agents.filter(({ member }) => member.condition.reports === undefined),
    signal,
  )
}

/**
 * Lets each agent report when it is due. One timer serves all, since thousands of timers cost more than the reports.
 */
function keepReporting(agents: readonly SimulatedAgent[], signal: AbortSignal): void {
  const due = new Map(agents.map((agent) => [agent, performance.now() + Math.random() * agent.interval * 1000]))
  const look = () => {
    const now = performance.now()
    for (const [agent, at] of due) {
      if (at > now) continue
      due.delete(agent)
      void agent.report().then(() => due.set(agent, now + agent.interval * 1000))
    }
  }
  const timer = setInterval(look, lookMs)
  signal.addEventListener('abort', () => clearInterval(timer))
}

function seconds(): number {
  return Math.floor(Date.now() / 1000)
}
