import { type AgentUpdates, updates } from '@svc/api'
import { isVersion, shown } from '@svc/protocol'
import type { AgentRow } from '../../platform/db/tables.ts'
import type { AskedSecrets } from '../../updates/blueprints/secrets.ts'
import { commandOf } from '../shared/command.ts'
import { onAgent } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import { argument, type CommandCall, Misused, Refused } from '../shared/request.ts'
import { secretsText } from '../shared/secrets.ts'
import { wishText } from '../shared/waits.ts'

/**
 * The refusal to request the served runtime build for an agent because the build is not signed (3.5.3). With
 * `--unsigned` the command requests it anyway.
 */
const unsigned = ({ version }: { version: string }) =>
  `The served build ${version} is not signed, so every runtime reports "failed" and the version is put on hold. Serve a signed build ("svc-server release add"), or add --unsigned to send it anyway.`

export const wishCommands = {
  ...commandOf(updates.wishBlueprint, {
    run: async (call) => {
      const version = argument(call, 1)
      if (version !== 'off' && !isVersion(version)) {
        throw new Misused(`A version is written like 1.2.3, or off: got ${shown(version)}.`)
      }
      const at = await onAgent(call)
      if (version === 'off') return carried(call, perform(call, updates.clearBlueprint, at))
      const newSecrets = await asksFor(call, at, version)
      return { ...(await carried(call, perform(call, updates.wishBlueprint, at, { version }))), newSecrets }
    },
    show: ({ name, updates, newSecrets }) =>
      [`${name}: ${wishText(updates.blueprint)}`, ...secretsText(newSecrets)].join('\n'),
  }),
  ...commandOf(updates.wishRuntime, {
    run: async (call) => {
      const { servedRelease } = await import('../../updates/releases/store.ts')
      const off = call.args[1]
      if (off !== undefined && off !== 'off') throw new Misused(`Only off may follow the agent: got ${shown(off)}.`)
      const served = await servedRelease(call.store.db)
      if (!off && served?.signed === false && call.options.unsigned !== true) throw new Refused(unsigned(served))
      return carried(call, perform(call, off ? updates.clearRuntime : updates.wishRuntime, await onAgent(call)))
    },
    show: ({ name, updates }) => `${name}: ${wishText(updates.runtime)}`,
  }),
  ...commandOf(updates.liftHold, {
    at: onAgent,
    run: (call, at) => carried(call, perform(call, updates.liftHold, at)),
    show: ({ name, changed }) => (changed ? `${name}: the hold is lifted.` : `${name}: no version is held.`),
  }),
}

/**
 * The secrets that the requested version asks for, and that the agent's running version does not; undefined if there
 * are none.
 */
async function asksFor(
  call: CommandCall,
  { agent, workspace }: AtAgent,
  version: string,
): Promise<AskedSecrets | undefined> {
  const { askedSecrets } = await import('../../updates/blueprints/secrets.ts')
  if (agent.blueprint === null) return undefined
  return askedSecrets(call.store.db, workspace, { blueprint: agent.blueprint, version }, [agent.name])
}

type AtAgent = Awaited<ReturnType<typeof onAgent>>
interface Carried {
  name: string
  changed: boolean
  updates: AgentUpdates
  newSecrets?: AskedSecrets | undefined
}

/** The agent's wishes and holds after a change. */
async function carried(call: CommandCall, change: Promise<{ agent: AgentRow; made: boolean }>): Promise<Carried> {
  const { made, agent } = await change.catch(withCode)
  const { agentUpdates } = await import('../../web/queries/updates.ts')
  return { name: agent.name, changed: made, updates: await agentUpdates(call.store.db, agent, call.now()) }
}

/** Adds the code of a refusal to its message, because programs read it (3.4). */
function withCode(error: unknown): never {
  throw error instanceof Refused && error.code !== undefined ? new Refused(`${error.message} (${error.code})`) : error
}
