/** For tests of actions: agents that report and answer, and a person who sends actions and commands. */
import type { ActionType } from '@svc/api'
import { sendCommand } from '../src/fleet/commands/store.ts'
import type { Store } from '../src/platform/db/open.ts'
import { timeOutCommands } from '../src/service/sweeper/rounds.ts'
import { finishAction } from '../src/updates/actions/runner.ts'
import { cancelAction, sendAction } from '../src/updates/actions/store.ts'
import { actionPage } from '../src/web/queries/actions.ts'
import { reporting } from './reporting.ts'
import { offering } from './service.ts'
import { newTestWorkspace, type TestAgent, type TestWorkspace } from './test-workspace.ts'

const live = { changed: () => {}, listChanged: () => {} } as unknown as Parameters<typeof finishAction>[0]['live']

/** The counts of an action without agents. */
export const none = { waiting: 0, sent: 0, applied: 0, refused: 0, expired: 0, failed: 0, skipped: 0, cancelled: 0 }

export const ctx = (w: TestWorkspace) => ({ db: w.store.db, by: w.admin, now: w.clock.now() })
export const needs = (w: TestWorkspace) => ({ store: w.store, live, now: w.clock.now })

/** Makes agents that have reported their controls, and the ways to press and to answer. */
export async function startPressing(store: Store, count: number) {
  const w = await newTestWorkspace(store)
  const { report: send } = reporting(w)
  const agents: TestAgent[] = []
  for (let i = 0; i < count; i++) agents.push(await w.addAgent(`a-${i}`))
  for (const agent of agents) await send(offering, { agent })
  const ids = new Map<string, string>()
  const begin = async (type: ActionType, values = {}, more: string[] = [], by = w.admin) => {
    const names = [...agents.map(({ name }) => name), ...more]
    const verdict = await sendAction({ ...ctx(w), by }, w.workspace, { type, values, agents: names })
    if (!verdict.ok) throw new Error(verdict.message)
    return verdict.value.id
  }
  return {
    w,
    agents,
    begin,
    send: async (type: ActionType, values = {}, more: string[] = [], by = w.admin) => {
      const id = await begin(type, values, more, by)
      await finishAction(needs(w), id)
      return id
    },
    /** Sends a report of the agent, which answers the command that it got before. */
    report: async (agent: TestAgent, answer?: { ok: boolean; message?: string }) => {
      const known = ids.get(agent.id)
      const acks = answer && known ? [{ id: known, ...answer }] : []
      const [command] = await send({ ...offering, acks }, { agent })
      if (command) ids.set(agent.id, command.id)
    },
    reportAs: (agent: TestAgent, body: Record<string, unknown>) => send(body, { agent }),
    /** The id of the command that the agent got last. */
    commandOf: (agent: TestAgent) => ids.get(agent.id) ?? '',
    page: async (id: string) => {
      const page = await actionPage(w.store.db, w.workspace, id, { now: w.clock.now() })
      if (!page) throw new Error('There is no such action.')
      return page
    },
    cancel: (id: string) => cancelAction(ctx(w), w.workspace, id),
    press: async (name: string) => {
      const agent = agents.find((each) => each.name === name) as TestAgent
      return sendCommand(ctx(w), agent, { type: 'pause', payload: {} })
    },
    settle: () => timeOutCommands(w.store, w.clock.now(), () => undefined),
  }
}
