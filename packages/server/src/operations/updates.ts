/** What the operations on versions of agents and runtimes do. */
import { type AgentUpdates, updates } from '@svc/api'
import { isVersion, shown } from '@svc/protocol'
import type { By } from '../audit/by.ts'
import { agentUpdates, runtimeOverview } from '../pages/updates.ts'
import { type Acting, acts, actsOften, type Bound, type Looking, looks } from '../web/kit/operations.ts'
import { updateEvents } from '../wishes/events.ts'
import { wishMany } from '../wishes/many.ts'
import { clearBlueprint, clearRuntime, liftHold, pressRuntime, type Wished, wishBlueprint } from '../wishes/store.ts'

type OnAgent = Acting<'POST /w/:slug/agents/:name', By>
/** The answer is how things stand now. */
const standing = {
  agents: ({ agent }: Wished): string[] => [agent.id],
  answer: ({ agent }: Wished, { deps, now }: Pick<Looking<unknown>, 'deps' | 'now'>): Promise<AgentUpdates> =>
    agentUpdates(deps.store.db, agent, now),
}

export const wishedBlueprint = acts(
  updates.wishBlueprint,
  async ({ db, agent, by, now }: OnAgent, { version }) =>
    isVersion(version)
      ? wishBlueprint(db, agent, { version }, by, now)
      : { ok: false, code: 'version_unknown', message: `A version is written like 1.2.3: got ${shown(version)}.` },
  standing,
)
export const clearedBlueprint = acts(
  updates.clearBlueprint,
  ({ db, agent, by, now }: OnAgent) => clearBlueprint(db, agent, by, now),
  standing,
)
export const wishedRuntime = acts(
  updates.wishRuntime,
  ({ db, agent, by, now }: OnAgent) => pressRuntime(db, agent, by, now),
  standing,
)
export const clearedRuntime = acts(
  updates.clearRuntime,
  ({ db, agent, by, now }: OnAgent) => clearRuntime(db, agent, by, now),
  standing,
)
export const liftedHold = acts(
  updates.liftHold,
  ({ db, agent, by, now }: OnAgent) => liftHold(db, agent, by, now),
  standing,
)

export const updateOperations: readonly Bound[] = [
  looks(updates.updateEvents, ({ deps, agent }, { limit }) => updateEvents(deps.store.db, agent, limit)),
  wishedBlueprint,
  clearedBlueprint,
  wishedRuntime,
  clearedRuntime,
  liftedHold,
  actsOften(updates.wishMany, ({ write, workspace, by, now }, wish) => wishMany(write, workspace, wish, by, now), {
    agents: ({ changed }) => changed,
    answer: ({ results }) => results,
  }),
  looks(updates.runtime, async ({ deps, workspace, now }) =>
    runtimeOverview(deps.store.db, workspace.id, [...(await deps.live.fleet.read(workspace.id)).values()], now),
  ),
]
