import type { AgentUpdates } from '@svc/api'
import { isVersion, shown } from '@svc/protocol'
import { command, type Stores } from '../kit/command.ts'
import { argument, granted, Misused, operator, Refused, type Request, type Service } from '../kit/request.ts'
import { secretsText } from '../kit/secrets.ts'
import { wishText } from '../kit/waits.ts'

const path: [string, string] = ['<slug/name>', 'the workspace and the name of the agent']

/** 3.5.3: what would come of it, before it is stored. */
const unsigned = ({ version }: { version: string }) =>
  `The served build ${version} is not signed, so every runtime answers "failed" and the service holds the version. Serve a signed build ("svc-server release add"), or say --unsigned to send it all the same.`

export const wishCommands = {
  'wish blueprint': command({
    says: 'name the version of its blueprint that an agent should run; the one before rolls it back; off withdraws',
    args: [path, ['<version>', 'a version that was uploaded, or off']],
    run: async (request, service, stores) => {
      const version = argument(request, 1)
      if (version !== 'off' && !isVersion(version)) {
        throw new Misused(`A version is written like 1.2.3, or off: got ${shown(version)}.`)
      }
      const asked = version === 'off' ? undefined : await asksFor(request, service, stores, version)
      const made = await carry(request, service, stores, (agent) => {
        const { db } = service.store
        return version === 'off'
          ? stores.clearBlueprint(db, agent, operator, service.now())
          : stores.wishBlueprint(db, agent, { version }, operator, service.now())
      })
      return { ...made, newSecrets: asked }
    },
    show: ({ name, updates, newSecrets }) =>
      [`${name}: ${wishText(updates.blueprint)}`, ...secretsText(newSecrets)].join('\n'),
  }),
  'wish runtime': command({
    says: 'wish that an agent updates its runtime to the served version; off withdraws',
    args: [path, ['[off]', 'takes the wish back']],
    options: [
      ['--unsigned', 'also when the served build is not signed: the runtime refuses it, and the version is held'],
    ],
    run: async (request, service, stores) => {
      const off = request.args[1]
      if (off !== undefined && off !== 'off') throw new Misused(`Only off may follow the agent: got ${shown(off)}.`)
      const { db } = service.store
      const served = await stores.servedRelease(db)
      if (!off && served?.signed === false && request.options.unsigned !== true) throw new Refused(unsigned(served))
      return carry(request, service, stores, (agent) => {
        return off
          ? stores.clearRuntime(db, agent, operator, service.now())
          : stores.pressRuntime(db, agent, operator, service.now())
      })
    },
    show: ({ name, updates }) => `${name}: ${wishText(updates.runtime)}`,
  }),
  'wish lift': command({
    says: 'lift the hold on a runtime version that failed or was rolled back, so that it can be wished again',
    args: [path],
    run: async (request, service, stores) =>
      carry(request, service, stores, (agent) => stores.liftHold(service.store.db, agent, operator, service.now())),
    show: ({ name, changed }) => (changed ? `${name}: the hold is lifted.` : `${name}: no version is held.`),
  }),
}

/** What the version asks for and the one that the agent runs does not. */
async function asksFor(request: Request, service: Service, { agentOf, askedSecrets }: Stores, version: string) {
  const { agent, workspace } = await agentOf(service, argument(request, 0))
  if (agent.blueprint === null) return undefined
  return askedSecrets(service.store.db, workspace, { blueprint: agent.blueprint, version }, [agent.name])
}

type Agent = Awaited<ReturnType<Stores['agentOf']>>['agent']
type Made = Awaited<ReturnType<Stores['clearRuntime' | 'wishBlueprint' | 'pressRuntime' | 'clearBlueprint']>>

/** Does it and says how things stand then. A refusal names its code, which programs go by (3.4). */
async function carry(
  request: Request,
  service: Service,
  { agentOf, agentUpdates }: Stores,
  act: (agent: Agent) => Promise<Made>,
): Promise<{ name: string; changed: boolean; updates: AgentUpdates }> {
  const { agent, workspace } = await agentOf(service, argument(request, 0))
  const verdict = await act(agent)
  if (!verdict.ok) throw new Refused(`${verdict.message} (${verdict.code})`)
  const { made, agent: after } = granted(verdict)
  service.live.reported(workspace.id, agent.id)
  service.live.changed(workspace.id, agent.id)
  const updates = await agentUpdates(service.store.db, after, service.now())
  return { name: agent.name, changed: made, updates }
}
