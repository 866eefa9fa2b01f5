/** Operations on the versions that agents and their runtimes should run (3.3, 3.4), and on the outcomes of updates. */
import type {
  AgentUpdates,
  RuntimeOverview,
  UpdateEvent,
  VersionDays,
  WishOfMany,
  WishResult,
} from '../answers/updates.ts'
import * as bounds from '../bounds.ts'
import { byKind, count, flag, list, object, optional, orNull, pasted, pastedWord, query } from '../input.ts'
import { change, proofIf, reading } from '../operation.ts'
import { agentArgument } from './arguments.ts'
import { maxBulkAgents } from './commands.ts'

const names = list(pasted(), maxBulkAgents)
const bulkBytes = 256 * 1024
const seen = ['report', 'agent'] as const

export const updateEvents = reading<UpdateEvent[]>()('GET /w/:slug/agents/:name/updates', {
  says: 'list the update events of an agent, newest first',
  input: query({ limit: count(300, 50) }),
})
export const wishBlueprint = change<AgentUpdates>()('PUT /w/:slug/agents/:name/wishes/blueprint', {
  says: 'set the blueprint version that an agent should run; the previous version rolls it back; off withdraws the wish',
  input: object({ version: pasted() }),
  proof: true,
  audit: ['wish.made'],
  pages: seen,
  again: 'same',
  adds: bounds.wishes,
  command: { name: 'wish blueprint', args: [agentArgument, ['<version>', 'a version that was uploaded, or off']] },
})
export const wishNow = change<AgentUpdates>()('POST /w/:slug/agents/:name/wishes/blueprint/now', {
  says: 'start the requested version although the agent watches the present one, which ends that watch',
  proof: true,
  audit: ['wish.hurried'],
  pages: seen,
  again: 'same',
  adds: null,
  command: { name: 'wish now', args: [agentArgument] },
})
export const clearBlueprintWish = change<AgentUpdates>()('DELETE /w/:slug/agents/:name/wishes/blueprint', {
  says: 'withdraw the wished blueprint version; the machine finishes an update that has started',
  audit: ['wish.withdrawn'],
  pages: seen,
  again: 'same',
  adds: null,
})
export const wishRuntime = change<AgentUpdates>()('POST /w/:slug/agents/:name/wishes/runtime', {
  says: 'ask an agent to update its runtime to the served version; off withdraws the wish',
  proof: true,
  audit: ['wish.made'],
  pages: seen,
  again: 'same',
  adds: bounds.wishes,
  command: {
    name: 'wish runtime',
    args: [agentArgument, ['[off]', 'takes the wish back']],
    options: [
      ['--unsigned', 'also when the served build is not signed: the runtime refuses it, and the version is held'],
    ],
  },
})
export const clearRuntimeWish = change<AgentUpdates>()('DELETE /w/:slug/agents/:name/wishes/runtime', {
  says: 'withdraw a wished runtime update',
  audit: ['wish.withdrawn'],
  pages: seen,
  again: 'same',
  adds: null,
})
export const liftHold = change<AgentUpdates>()('DELETE /w/:slug/agents/:name/holds/runtime', {
  says: 'lift the hold on a runtime version that failed or was rolled back',
  audit: ['hold.lifted'],
  pages: seen,
  again: 'same',
  adds: null,
  command: { name: 'wish lift', args: [agentArgument] },
})
export const wishMany = change<WishResult[]>()('POST /w/:slug/wishes', {
  says: 'wish or withdraw a version for many agents at once',
  input: byKind<WishOfMany>({
    runtime: object({ agents: names, withdraw: optional(flag) }),
    blueprint: object({ agents: names, blueprint: pasted(), version: orNull(pasted()) }),
  }),
  maxBytes: bulkBytes,
  proof: proofIf<WishOfMany>(
    'unless it withdraws',
    (wish) => (wish.kind === 'runtime' ? wish.withdraw !== true : wish.version !== null),
    'update many agents at once',
  ),
  audit: ['wish.made', 'wish.withdrawn'],
  pages: seen,
  again: 'same',
  adds: bounds.wishes,
})
export const versionDays = reading<VersionDays>()('GET /w/:slug/versions', {
  says: 'show how many agents ran each version of a blueprint on each day',
  input: query({ days: count(400, 90), blueprint: pastedWord }),
  large: 'newest',
})
export const runtime = reading<RuntimeOverview>()('GET /w/:slug/runtime', {
  says: 'show the runtime versions that agents run and the one that the service serves',
})
