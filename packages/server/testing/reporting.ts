/** Sends reports directly to the report store, without HTTP, for tests of the rules on SQLite and PostgreSQL. */
import { readReport } from '@svc/protocol'
import { expect } from 'vitest'
import { openReportStore } from '../src/agent-api/open.ts'
import { newRowNumbers, type RowNumbers } from '../src/agent-api/report-store/row-numbers.ts'
import type { ReportDecision, ReportStore, Submission } from '../src/agent-api/report-store/rows.ts'
import { decideReport as judge } from '../src/agent-api/reports/rules.ts'
import { CommandDeliveryTimes } from '../src/fleet/commands/deliveries.ts'
import { findCommand, sendCommand } from '../src/fleet/commands/store.ts'
import type { CommandRow } from '../src/platform/db/tables.ts'
import { hashToken } from '../src/platform/tokens.ts'
import { newClock, type TestAgent, type TestWorkspace } from './test-workspace.ts'

export interface Sent {
  agent?: TestAgent
  /** True if the client closed its connection before the report was judged. */
  gone?: boolean
  /** True if the answer may offer an update; the default is true. */
  offers?: boolean
  token?: string
}

export interface ReportingParts {
  store: ReportStore
  /** The monotonic clock of the simulated service process, in milliseconds. */
  monotonic: ReturnType<typeof newClock>
  deliveries: CommandDeliveryTimes
  /** Commits one report of the workspace's agent, or of the agent in `sent`, and returns the decision. */
  decide: (parts?: object, sent?: Sent) => Promise<ReportDecision>
  /** Commits one report and returns the commands that it claimed. */
  report: (parts?: object, sent?: Sent) => Promise<Extract<ReportDecision, { ok: true }>['claimed']>
  /** As the admin, sends a command to the workspace's agent and returns the command. */
  press: (type: string, payload?: object) => Promise<CommandRow>
  command: (id: string) => Promise<CommandRow | undefined>
}

/** Simulates a service process over the workspace's store. Two calls for the same workspace make two nodes. */
export function reporting(w: TestWorkspace): ReportingParts {
  const monotonic = newClock(0)
  const deliveries = new CommandDeliveryTimes(monotonic.now)
  const store = openReportStore(w.store, judge)
  const rowNumbers = new Map<string, RowNumbers>()
  const rowNumbersOf = ({ id }: TestAgent) => {
    const known = rowNumbers.get(id) ?? newRowNumbers()
    rowNumbers.set(id, known)
    return known
  }
  const decide: ReportingParts['decide'] = async (parts = {}, sent = {}) => {
    const sending = { ...submission(w, parts, sent), rowNumbers: rowNumbersOf(sent.agent ?? w.agent) }
    const [decision] = await store([sending], w.clock.now(), deliveries.age)
    if (!decision) throw new Error('The store decided nothing.')
    if (decision.ok) for (const { id } of decision.claimed) deliveries.note(id)
    return decision
  }
  return {
    store,
    monotonic,
    deliveries,
    decide,
    report: async (parts, sent) => {
      const decision = await decide(parts, sent)
      if (!decision.ok) throw new Error(`The report was refused: ${decision.code}`)
      return decision.claimed
    },
    press: async (type, payload = {}) => {
      const wish = { type, payload } as Parameters<typeof sendCommand>[2]
      const queued = await sendCommand({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.agent, wish)
      expect(queued).toMatchObject({ ok: true })
      if (!queued.ok) throw new Error(queued.message)
      return queued.value.command
    },
    command: (id) => findCommand(w.store.db, w.agent, id),
  }
}

export function submission(
  w: TestWorkspace,
  parts: object,
  { agent = w.agent, gone = false, offers = true, token }: Sent = {},
): Submission {
  return {
    agentId: agent.id,
    tokenHash: hashToken(token ?? agent.token),
    ...asRead(parts, w.clock.now()),
    interval: 30,
    gone: () => gone,
    offers,
  }
}

/** Reads the parts of a report with the service's own report reader. */
function asRead(parts: object, now: number): Pick<Submission, 'report' | 'json'> {
  const read = readReport(Buffer.from(JSON.stringify({ protocol: 1, ...parts })), now)
  if (!read.ok) throw new Error(read.message)
  return { report: read.value, json: read.json }
}
