/**
 * Simulates a random history of commands over a bad network, repeatable by its seed: reports are lost, doubled or
 * simultaneous, answers are lost, acks are lost, late or doubled, and two nodes sweep. Every step is recorded, and
 * `faults` checks the invariants I1, I2, I5 and I6.
 */
import { type Ack, commandDeadline } from '@svc/protocol'
import { randomOf } from '../../protocol/testing/mutate.ts'
import { sendCommand } from '../src/fleet/commands/store.ts'
import type { CommandRow } from '../src/platform/db/tables.ts'
import { timeOutCommands } from '../src/service/sweeper/rounds.ts'
import { type ReportingParts, reporting } from './reporting.ts'
import { offering } from './service.ts'
import type { TestAgent, TestWorkspace } from './test-workspace.ts'

export interface History {
  /** The ids of the commands in each answer that the service gave, even if the answer was lost. */
  answers: { agent: string; at: number; ids: string[] }[]
  /** The acks in reports that the service accepted, in the order in which it accepted them. */
  acks: { agent: string; at: number; ack: Ack }[]
  /** All stored commands, as they were after each step. */
  views: { at: number; rows: Map<string, CommandRow> }[]
  /** The ids of the commands that each agent applied, in order. */
  applied: Map<string, string[]>
}

interface SimAgent extends TestAgent {
  known: Set<string>
  outbox: Ack[]
}

export async function play(w: TestWorkspace, seed: number, steps: number): Promise<History> {
  const random = randomOf(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const history: History = { answers: [], acks: [], views: [], applied: new Map() }
  const nodes = [reporting(w), reporting(w)]
  const agents: SimAgent[] = [w.agent, await w.addAgent('second')].map((a) => ({ ...a, known: new Set(), outbox: [] }))
  for (const agent of agents) await nodes[0]?.report(offering, { agent })

  const press = async () => {
    const wishes = [
      { type: 'pause', payload: {} },
      { type: 'run_now', payload: {} },
      { type: 'set', payload: { every: 1 + Math.floor(random() * 100) } },
    ] as const
    await sendCommand({ db: w.store.db, by: w.admin, now: w.clock.now() }, pick(agents), pick(wishes))
  }

  /** Lets a node accept a report. Returns the commands that its answer carries; the agent may never get that answer. */
  const taken = async (node: ReportingParts, agent: SimAgent, acks: Ack[], gone: boolean) => {
    const at = w.clock.now()
    const claimed = await node.report({ ...(random() < 0.9 && offering), acks }, { agent, gone })
    for (const ack of acks) history.acks.push({ agent: agent.id, at, ack })
    history.answers.push({ agent: agent.id, at, ids: claimed.map(({ id }) => id) })
    return claimed
  }

  const report = async () => {
    const agent = pick(agents)
    const foreign = pick(agents).outbox.slice(0, 1)
    const acks = random() < 0.1 ? [...agent.outbox, ...foreign] : [...agent.outbox]
    const fate = random()
    if (fate < 0.15) return
    const copies = fate < 0.35 ? 2 + Math.floor(random() * 2) : 1
    const answers = await Promise.all(
      Array.from({ length: copies }, () => taken(pick(nodes), agent, acks, random() < 0.1)),
    )
    if (random() < 0.2) return
    const received = pick(answers)
    if (random() < 0.85) agent.outbox = agent.outbox.filter((ack) => !acks.includes(ack))
    for (const { id } of received) {
      if (agent.known.has(id)) throw new Error(`The agent was handed ${id} twice (seed ${seed}).`)
      agent.known.add(id)
      const ok = random() < 0.7
      if (ok) history.applied.set(agent.id, [...(history.applied.get(agent.id) ?? []), id])
      if (random() < 0.9) agent.outbox.push({ id, ok, message: ok ? 'done' : 'no' })
    }
  }

  const pass = async () => {
    const seconds = pick([1, 5, 30, 200, 599, 601])
    w.clock.pass(seconds)
    for (const node of nodes) node.monotonic.pass(random() < 0.9 ? seconds : seconds / 2)
  }
  const sweep = async () => {
    await Promise.all(nodes.map((node) => timeOutCommands(w.store, w.clock.now(), node.deliveries.age)))
  }

  const actions = [press, press, report, report, report, pass, sweep]
  for (let step = 0; step < steps; step++) {
    if (random() < 0.2) await Promise.all([pick(actions)(), report(), press()])
    else await pick(actions)()
    const rows = await w.store.db.selectFrom('command').selectAll().execute()
    history.views.push({ at: w.clock.now(), rows: new Map(rows.map((row) => [row.id, row])) })
  }
  return history
}

/**
 * Returns each violation of the invariants I1, I2, I5 and I6 in a history as a sentence; the list is empty if they all
 * hold.
 */
export function faults(history: History): string[] {
  return [...handedOutOnce(history), ...neverBack(history), ...shownAsAnswered(history), ...inTime(history)]
}

function handedOutOnce({ answers }: History): string[] {
  const ids = answers.flatMap((answer) => answer.ids)
  return ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `I1: ${id} is in two answers`)
}

const over = ['delivered', 'expired', 'failed', 'applied', 'refused', 'applied_late', 'refused_late']

function neverBack({ views }: History): string[] {
  return views.slice(1).flatMap(({ rows }, i) =>
    [...(views[i]?.rows ?? [])].flatMap(([id, before]) => {
      const after = rows.get(id)
      if (!after) return [`${id} is gone`]
      const back = over.includes(before.state) && after.state === 'queued'
      const settled = ['applied', 'refused', 'applied_late', 'refused_late', 'expired'].includes(before.state)
      return back || (settled && after.state !== before.state)
        ? [`I2: ${id} went from ${before.state} to ${after.state}`]
        : []
    }),
  )
}

function shownAsAnswered({ acks, answers, views }: History): string[] {
  const delivered = new Map(answers.flatMap(({ agent, ids }) => ids.map((id) => [id, agent] as const)))
  const last = views.at(-1)?.rows ?? new Map<string, CommandRow>()
  return [...last.values()].flatMap((row) => {
    const first = acks.find(({ agent, ack }) => ack.id === row.id && agent === row.agent_id)
    const answered = /^(applied|refused)/.test(row.state)
    if (answered && !first) return [`I5: ${row.id} is ${row.state} without an ack`]
    if (!first) return []
    const expected = first.ack.ok ? 'applied' : 'refused'
    if (!row.state.startsWith(expected)) return [`I5: ${row.id} was ${expected} by its agent and is shown ${row.state}`]
    return delivered.get(row.id) === row.agent_id ? [] : [`I6: ${row.id} was answered by an agent that never got it`]
  })
}

function inTime({ views }: History): string[] {
  return [...(views.at(-1)?.rows.values() ?? [])].flatMap((row) => {
    const late = row.delivered_at !== null && row.delivered_at >= commandDeadline(row.created_at)
    return late ? [`I6: ${row.id} was delivered after its time`] : []
  })
}
