/** Versions that agents and their runtimes should run (2.6, 3.4), and what became of that. */
import type { AgentUpdates, RuntimeOverview, UpdateEvent, WishOfMany, WishResult } from '../answers.ts'
import { byKind, count, flag, list, object, optional, orNull, query, text } from '../input.ts'
import { change, look } from '../operation.ts'
import { agentArgument } from './arguments.ts'
import { bulkMax } from './commands.ts'

const names = list(text(), bulkMax)
const bulkBytes = 256 * 1024
const seen = ['report', 'agent'] as const

export const updateEvents = look<UpdateEvent[]>()('GET /w/:slug/agents/:name/updates', {
  says: 'what became of the versions that an agent was to run, newest first',
  input: query({ limit: count(300, 50) }),
})
export const wishBlueprint = change<AgentUpdates>()('PUT /w/:slug/agents/:name/wishes/blueprint', {
  says: 'name the version of its blueprint that an agent should run; the one before rolls it back; off withdraws',
  input: object({ version: text() }),
  audit: ['wish.made'],
  pages: seen,
  again: 'same',
  command: { name: 'wish blueprint', args: [agentArgument, ['<version>', 'a version that was uploaded, or off']] },
})
export const clearBlueprint = change<AgentUpdates>()('DELETE /w/:slug/agents/:name/wishes/blueprint', {
  says: 'withdraw the version that an agent should run; what its machine has begun it ends',
  audit: ['wish.withdrawn'],
  pages: seen,
  again: 'same',
})
export const wishRuntime = change<AgentUpdates>()('POST /w/:slug/agents/:name/wishes/runtime', {
  says: 'wish that an agent updates its runtime to the served version; off withdraws',
  audit: ['wish.made'],
  pages: seen,
  again: 'same',
  command: {
    name: 'wish runtime',
    args: [agentArgument, ['[off]', 'takes the wish back']],
    options: [
      ['--unsigned', 'also when the served build is not signed: the runtime refuses it, and the version is held'],
    ],
  },
})
export const clearRuntime = change<AgentUpdates>()('DELETE /w/:slug/agents/:name/wishes/runtime', {
  says: 'withdraw the update of the runtime',
  audit: ['wish.withdrawn'],
  pages: seen,
  again: 'same',
})
export const liftHold = change<AgentUpdates>()('DELETE /w/:slug/agents/:name/holds/runtime', {
  says: 'lift the hold on a runtime version that failed or was rolled back, so that it can be wished again',
  audit: ['hold.lifted'],
  pages: seen,
  again: 'same',
  command: { name: 'wish lift', args: [agentArgument] },
})
export const wishMany = change<WishResult[]>()('POST /w/:slug/wishes', {
  says: 'wish or withdraw a version for many agents at once',
  input: byKind<WishOfMany>({
    runtime: object({ agents: names, withdraw: optional(flag) }),
    blueprint: object({ agents: names, blueprint: text(), version: orNull(text()) }),
  }),
  maxBytes: bulkBytes,
  audit: ['wish.made', 'wish.withdrawn'],
  pages: seen,
  again: 'same',
})
export const runtime = look<RuntimeOverview>()('GET /w/:slug/runtime', {
  says: 'which runtimes the agents run, and which the service serves',
})
