import { type AgentUpdates, updates } from '@svc/api'
import { isVersion, shown } from '@svc/protocol'
import { commandOf, type Stores } from '../shared/command.ts'
import { argument, Misused, Refused, type Request, type Service } from '../shared/request.ts'
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
    run: async (request, service, stores) => {
      const version = argument(request, 1)
      if (version !== 'off' && !isVersion(version)) {
        throw new Misused(`A version is written like 1.2.3, or off: got ${shown(version)}.`)
      }
      const { perform, clearedBlueprint, wishedBlueprint } = stores
      if (version === 'off')
        return changeUpdates(request, service, stores, (at) => perform(service, clearedBlueprint, at, undefined))
      const newSecrets = await asksFor(request, service, stores, version)
      const made = await changeUpdates(request, service, stores, (at) =>
        perform(service, wishedBlueprint, at, { version }),
      )
      return { ...made, newSecrets }
    },
    show: ({ name, updates, newSecrets }) =>
      [`${name}: ${wishText(updates.blueprint)}`, ...secretsText(newSecrets)].join('\n'),
  }),
  ...commandOf(updates.wishRuntime, {
    run: async (request, service, stores) => {
      const off = request.args[1]
      if (off !== undefined && off !== 'off') throw new Misused(`Only off may follow the agent: got ${shown(off)}.`)
      const { perform, clearedRuntime, servedRelease, wishedRuntime } = stores
      const served = await servedRelease(service.store.db)
      if (!off && served?.signed === false && request.options.unsigned !== true) throw new Refused(unsigned(served))
      const bound = off ? clearedRuntime : wishedRuntime
      return changeUpdates(request, service, stores, (at) => perform(service, bound, at, undefined))
    },
    show: ({ name, updates }) => `${name}: ${wishText(updates.runtime)}`,
  }),
  ...commandOf(updates.liftHold, {
    run: (request, service, stores) =>
      changeUpdates(request, service, stores, (at) => stores.perform(service, stores.liftedHold, at, undefined)),
    show: ({ name, changed }) => (changed ? `${name}: the hold is lifted.` : `${name}: no version is held.`),
  }),
}

/**
 * The secrets that the requested version asks for, and that the agent's running version does not; undefined if there
 * are none.
 */
async function asksFor(request: Request, service: Service, { agentOf, askedSecrets }: Stores, version: string) {
  const { agent, workspace } = await agentOf(service, argument(request, 0))
  if (agent.blueprint === null) return undefined
  return askedSecrets(service.store.db, workspace, { blueprint: agent.blueprint, version }, [agent.name])
}

type AtAgent = Awaited<ReturnType<Stores['agentOf']>>
interface Carried {
  name: string
  changed: boolean
  updates: AgentUpdates
  newSecrets?: Awaited<ReturnType<Stores['askedSecrets']>>
}

/**
 * Makes a change to the updates that are requested for the agent in the first argument, and returns the agent's wishes
 * and holds as they are afterwards. The message of a refusal includes its code, because programs read it (3.4).
 */
async function changeUpdates(
  request: Request,
  service: Service,
  { agentOf, agentUpdates }: Stores,
  act: (at: AtAgent) => Promise<{ agent: AtAgent['agent']; made: boolean }>,
): Promise<Carried> {
  const at = await agentOf(service, argument(request, 0))
  const { made, agent } = await act(at).catch((error: unknown) => {
    throw error instanceof Refused && error.code !== undefined ? new Refused(`${error.message} (${error.code})`) : error
  })
  return { name: at.agent.name, changed: made, updates: await agentUpdates(service.store.db, agent, service.now()) }
}
