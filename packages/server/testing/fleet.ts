/**
 * Simulates a fleet in one process: many agents that behave as 3.3 and 3.5 require of a runtime report to the real
 * report store, beside the real jobs of the sweeper. Only the clock, the network and the machines are simulated: agents
 * report every half minute, the service may be down, and a version may be bad on some machines.
 */
import { type AppliedUpdate, limits, type RuntimeInfo, readAnswer } from '@svc/protocol'
import { openReportStore } from '../src/agent-api/open.ts'
import { decideReport } from '../src/agent-api/reports/rules.ts'
import { newId } from '../src/platform/ids.ts'
import { hashToken, newToken } from '../src/platform/tokens.ts'
import { advanceRollouts } from '../src/updates/rollouts/advance.ts'
import { noteRunning } from '../src/updates/wishes/away.ts'
import { grantWaiting } from '../src/updates/wishes/trials.ts'
import { submission } from './reporting.ts'
import type { TestAgent, TestWorkspace } from './test-workspace.ts'

const interval = 30
/** The number of groups of agents that report one after another in an interval. The sweeper runs after each group. */
const slots = 4

export interface SimAgent extends TestAgent {
  version: string
  previous: string | undefined
  applied: AppliedUpdate
  hold: string | undefined
  runtime: RuntimeInfo
  runtimeHold: string | undefined
  /**
   * The trial in progress: the runtime version on trial, the version before it, and the end of the trial in Unix
   * milliseconds; undefined while there is no trial.
   */
  trial: { version: string; from: string; until: number } | undefined
  /** The versions that do not work on the agent's machine. */
  bad: Set<string>
  /** All versions that answers to this agent have wished so far. */
  named: Set<string>
}

export interface Fleet {
  agents: SimAgent[]
  /**
   * Lets this many report intervals pass. Stops earlier if `until` returns true before an interval. With `away` the
   * service answers no agent.
   */
  pass: (intervals: number, how?: { away?: boolean; until?: () => Promise<boolean> | boolean }) => Promise<void>
  /** Returns the maximum number of runtimes that were on trial at the same time. */
  maxOnTrial: () => number
}

export async function newFleet(w: TestWorkspace, count: number, blueprint: string): Promise<Fleet> {
  const store = openReportStore(w.store, decideReport)
  const agents = (await addAgents(w, count, blueprint)).map(simulatedAgent)
  let max = 0

  async function turn(some: readonly SimAgent[], away: boolean): Promise<void> {
    const now = w.clock.now()
    if (!away) {
      await noteRunning(w.store.db, now)
      for (let i = 0; i < some.length; i += 128) {
        const batch = some.slice(i, i + 128)
        const decisions = await store(
          batch.map((agent) => submission(w, reportOf(agent), { agent })),
          now,
          () => undefined,
        )
        for (const [at, decision] of decisions.entries()) {
          if (!decision.ok) throw new Error(decision.code)
          const answer = readAnswer(Buffer.from(JSON.stringify({ commands: [], interval, ...decision.answer })))
          if (!answer.ok) throw new Error(answer.message)
          obey(batch[at] as SimAgent, answer.value, now)
        }
      }
      await advanceRollouts(w.store.db, now)
      await grantWaiting(w.store.db, now)
    }
    for (const agent of agents) endTrial(agent, now)
    max = Math.max(max, agents.filter(({ trial }) => trial).length)
  }

  return {
    agents,
    maxOnTrial: () => max,
    async pass(intervals, { away = false, until } = {}) {
      for (let i = 0; i < intervals; i++) {
        if (until && (await until())) return
        for (let slot = 0; slot < slots; slot++) {
          w.clock.pass(interval / slots)
          await turn(
            agents.filter((_, at) => at % slots === slot),
            away,
          )
        }
      }
    },
  }
}

/**
 * Inserts all agents at once, because a commit for each of a thousand agents would take longer than the rest of the
 * test.
 */
async function addAgents(w: TestWorkspace, count: number, blueprint: string): Promise<TestAgent[]> {
  const agents = Array.from({ length: count }, (_, i) => ({
    id: newId(w.clock.now()),
    name: `agent-${i}`,
    token: newToken('agent'),
    workspaceId: w.workspace.id,
  }))
  const rows = agents.map(({ id, name, token, workspaceId }) => ({
    id,
    workspace_id: workspaceId,
    name,
    token_hash: hashToken(token),
    created_at: w.clock.now(),
    created_by: null,
    blueprint,
    installed_version: '1.0.0',
  }))
  for (let i = 0; i < count; i += 500) {
    await w.store.db
      .insertInto('agent')
      .values(rows.slice(i, i + 500))
      .execute()
  }
  return agents
}

const simulatedAgent = (agent: TestAgent): SimAgent => ({
  ...agent,
  version: '1.0.0',
  previous: undefined,
  applied: { version: '1.0.0', outcome: 'ok', message: 'installed' },
  hold: undefined,
  runtime: { version: '1.0.0' },
  runtimeHold: undefined,
  trial: undefined,
  bad: new Set(),
  named: new Set(),
})

/**
 * The report of a simulated agent. Each report contains the outcomes of the last blueprint update and the last runtime
 * update (2.5, 2.6). During a trial it names the new version as running, with the outcome of the update before.
 */
const reportOf = (agent: SimAgent) => ({
  agent: { version: agent.version },
  state: { level: 'ok' },
  applied: agent.applied,
  runtime: agent.runtime,
})

type ReadAnswer = Extract<ReturnType<typeof readAnswer>, { ok: true }>['value']

/** Carries out what an answer tells an agent, as a runtime does, in the order of D31. */
function obey(agent: SimAgent, answer: ReadAnswer, now: number): void {
  if (agent.trial) endTrial(agent, now, true)
  const { desired, runtime, runtime_desired: wanted } = answer
  if (wanted !== undefined) {
    if (runtime?.version !== wanted) throw new Error(`${wanted} is wished while ${runtime?.version} is served (I11).`)
    agent.named.add(wanted)
    if (agent.runtimeHold !== wanted) agent.runtimeHold = undefined
    if (wanted !== agent.runtime.version && agent.runtimeHold !== wanted) {
      const from = agent.runtime.version
      agent.trial = { version: wanted, from, until: now + limits.trialSeconds * 1000 }
      agent.runtime = { ...agent.runtime, version: wanted, previous: from }
    }
  }
  if (desired && !agent.trial) update(agent, desired.version, now)
}

/**
 * Ends the trial of a runtime (3.5, step 5). An accepted report keeps the new version; if that version is bad on this
 * machine, or the time of the trial is over, the runtime is rolled back.
 */
function endTrial(agent: SimAgent, now: number, good = false): void {
  const { trial } = agent
  if (!trial) return
  const { version, from } = trial
  const words = (what: string) => `${from} -> ${version}, ${new Date(now).toISOString()}: ${what}`
  if (good && !agent.bad.has(version)) {
    agent.trial = undefined
    agent.runtime = { ...agent.runtime, applied: { version, outcome: 'ok', message: words('updated') } }
  } else if (now >= trial.until || agent.bad.has(version)) {
    agent.trial = undefined
    agent.runtimeHold = version
    const message = words(agent.bad.has(version) ? 'it did not start' : 'no good report in five minutes')
    agent.runtime = { version: from, previous: from, applied: { version: from, outcome: 'rolled_back', message } }
  }
}

/**
 * Updates an agent's blueprint version between two of its reports. The agent keeps the version or, if it is bad on this
 * machine, rolls back and puts it on hold (3.3).
 */
function update(agent: SimAgent, version: string, now: number): void {
  agent.named.add(version)
  if (agent.hold !== version) agent.hold = undefined
  if (version === agent.version || agent.hold === version) return
  const words = (what: string) => `${agent.version} -> ${version}, ${new Date(now).toISOString()}: ${what}`
  if (agent.bad.has(version)) {
    agent.hold = version
    agent.applied = { version: agent.version, outcome: 'rolled_back', message: words('it said bad') }
    return
  }
  agent.applied = { version, outcome: 'ok', message: words('updated') }
  agent.previous = agent.version
  agent.version = version
}
