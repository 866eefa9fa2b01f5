/** Commands for updates: wishes for single agents, and rollouts. */
import {
  type AgentUpdates,
  type BlockingRollout,
  type NewRollout,
  type RolloutAgent,
  type RolloutPage,
  type RolloutPreview,
  type RolloutRow,
  rollouts,
  updates,
} from '@svc/api'
import { isVersion, listIn, shown } from '@svc/protocol'
import type { AgentRow } from '../../platform/db/tables.ts'
import type { SecretsToAsk } from '../../updates/blueprints/secrets.ts'
import { operationCommand } from '../shared/command.ts'
import { inWorkspace, onAgent, onRollout, unknownRolloutText } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import {
  argument,
  type CommandCall,
  grantedToOperator,
  MissingError,
  type OperatorRequest,
  option,
  RefusedError,
  UsageError,
} from '../shared/request.ts'
import { oneSafeLine, tableText, timeText } from '../shared/show.ts'
import { secretsText, waitText, wishText } from '../shared/updates.ts'
import { splitVersionName } from './blueprint.ts'

/**
 * The message that refuses to request an unsigned runtime build (3.5.3). With `--unsigned` the command requests it
 * anyway.
 */
const unsigned = ({ version }: { version: string }) =>
  `The served build ${version} is not signed, so every runtime reports "failed" and the version is put on hold. Serve a signed build ("svc-server release add"), or add --unsigned to send it anyway.`

export const wishCommands = {
  ...operationCommand(updates.wishBlueprint, {
    run: async (call) => {
      const version = argument(call, 1)
      if (version !== 'off' && !isVersion(version)) {
        throw new UsageError(`A version is written like 1.2.3, or off: got ${shown(version)}.`)
      }
      const at = await onAgent(call)
      if (version === 'off') return carried(call, perform(call, updates.clearBlueprintWish, at))
      const newSecrets = await asksFor(call, at, version)
      return { ...(await carried(call, perform(call, updates.wishBlueprint, at, { version }))), newSecrets }
    },
    show: ({ name, updates, newSecrets }) =>
      [`${name}: ${wishText(updates.blueprint)}`, ...secretsText(newSecrets)].join('\n'),
  }),
  ...operationCommand(updates.wishRuntime, {
    run: async (call) => {
      const { servedRelease } = await import('../../updates/releases/store.ts')
      const off = call.args[1]
      if (off !== undefined && off !== 'off') throw new UsageError(`Only off may follow the agent: got ${shown(off)}.`)
      const served = await servedRelease(call.store.db)
      if (!off && served?.signed === false && call.options.unsigned !== true) throw new RefusedError(unsigned(served))
      return carried(call, perform(call, off ? updates.clearRuntimeWish : updates.wishRuntime, await onAgent(call)))
    },
    show: ({ name, updates }) => `${name}: ${wishText(updates.runtime)}`,
  }),
  ...operationCommand(updates.wishNow, {
    at: onAgent,
    run: (call, at) => carried(call, perform(call, updates.wishNow, at)),
    show: ({ name, changed, updates }) =>
      changed ? `${name}: ${wishText(updates.blueprint)}` : `${name}: it was told not to wait already.`,
  }),
  ...operationCommand(updates.liftHold, {
    at: onAgent,
    run: (call, at) => carried(call, perform(call, updates.liftHold, at)),
    show: ({ name, changed }) => (changed ? `${name}: the hold is lifted.` : `${name}: no version is held.`),
  }),
}

/**
 * The secrets that the requested version asks for, and that the agent's running version does not ask for; undefined if
 * there are none.
 */
async function asksFor(
  call: CommandCall,
  { agent, workspace }: AtAgent,
  version: string,
): Promise<SecretsToAsk | undefined> {
  const { findSecretsToAsk } = await import('../../updates/blueprints/secrets.ts')
  if (agent.blueprint === null) return undefined
  return findSecretsToAsk(call.store.db, workspace, { blueprint: agent.blueprint, version }, [agent.name])
}

type AtAgent = Awaited<ReturnType<typeof onAgent>>
interface UpdateCommandResult {
  name: string
  changed: boolean
  updates: AgentUpdates
  newSecrets?: SecretsToAsk | undefined
}

/** Waits for a change of an agent's wishes or holds, and returns them as they are then. */
async function carried(
  call: CommandCall,
  change: Promise<{ agent: AgentRow; made: boolean }>,
): Promise<UpdateCommandResult> {
  const { made, agent } = await change.catch(throwWithCode)
  const { agentUpdates } = await import('../../web/queries/updates.ts')
  return { name: agent.name, changed: made, updates: await agentUpdates(call.store.db, agent, call.now()) }
}

/** Adds the code of a refusal to its message, because programs read it (3.4). */
function throwWithCode(error: unknown): never {
  throw error instanceof RefusedError && error.code !== undefined
    ? new RefusedError(`${error.message} (${error.code})`)
    : error
}

/** The maximum number of a workspace's rollouts that the terminal lists, newest first. The page shows all of them. */
const maxListed = 200

export const rolloutCommands = {
  ...operationCommand(rollouts.rollouts, {
    at: inWorkspace,
    run: async ({ store, now }, { workspace }) => {
      const { readRollouts } = await import('../../web/queries/rollouts.ts')
      return (await readRollouts(store.db, workspace, { limit: maxListed }, now())).rows
    },
    show: (all) =>
      tableText(
        ['ID', 'WHAT', 'STATE', 'WAVE', 'KEPT', 'BEGUN', 'BY', 'WHY'],
        all.map((r) => [r.id, titleOf(r), r.state, waveOf(r), keptOf(r), timeText(r.createdAt), r.createdBy, r.why]),
        'No rollouts yet.',
      ),
  }),
  ...operationCommand(rollouts.showRollout, {
    at: onRollout,
    run: readRolloutPage,
    show: (page) => `${headOf(page)}\n\n${agentsOf(page.agents)}`,
  }),
  ...operationCommand(rollouts.startRollout, {
    run: async (call) => {
      const { previewRollout } = await import('../../updates/rollouts/plan.ts')
      const { findSecretsToAsk } = await import('../../updates/blueprints/secrets.ts')
      const wanted = readNewRollout(call)
      const { workspace } = await inWorkspace(call)
      const { db } = call.store
      const preview = grantedToOperator(await previewRollout(db, workspace, wanted, call.now()))
      refuseUnknownAgents(wanted, preview)
      // The secrets that the new version asks for, unless the running versions of all agents in the waves do, too.
      const newSecrets =
        wanted.kind === 'blueprint'
          ? await findSecretsToAsk(db, workspace, versionOf(wanted, preview), reachedBy(preview))
          : undefined
      if (call.options.preview === true) return { preview, rollout: null, newSecrets }
      const { id } = await perform(call, rollouts.startRollout, { workspace }, wanted)
      return { preview, rollout: await readRolloutPage(call, { workspace, id }), newSecrets }
    },
    show: ({ preview, rollout, newSecrets }) =>
      [
        rollout ? headOf(rollout) : `${oneSafeLine(preview.version)} would go to:`,
        previewOf(preview),
        ...(preview.blockedBy.length > 0 ? [blockedText(preview.blockedBy)] : []),
        ...(newSecrets ? [secretsText(newSecrets).join('\n')] : []),
      ].join('\n\n'),
  }),
  ...operationCommand(rollouts.pauseRollout, {
    at: onRollout,
    run: (call, at) => pageAfter(perform(call, rollouts.pauseRollout, at), call, at),
    show: headOf,
  }),
  ...operationCommand(rollouts.continueRollout, {
    at: onRollout,
    run: (call, at) => pageAfter(perform(call, rollouts.continueRollout, at, {}), call, at),
    show: headOf,
  }),
  ...operationCommand(rollouts.rolloutNow, {
    at: onRollout,
    run: (call, at) => pageAfter(perform(call, rollouts.rolloutNow, at, {}), call, at),
    show: headOf,
  }),
  ...operationCommand(rollouts.cancelRollout, {
    at: onRollout,
    run: (call, at) =>
      pageAfter(perform(call, rollouts.cancelRollout, at, { withdraw: call.options.withdraw === true }), call, at),
    show: headOf,
  }),
}

const versionOf = ({ blueprint = '' }: NewRollout, { version }: RolloutPreview) => ({ blueprint, version })
const reachedBy = ({ waves }: RolloutPreview) => waves.flatMap(({ agents }) => agents)

type AtRollout = Awaited<ReturnType<typeof onRollout>>
type Page = Omit<RolloutPage, 'canAct'>

async function readRolloutPage({ store, now }: CommandCall, { workspace, id }: AtRollout): Promise<Page> {
  const { rolloutPage } = await import('../../web/queries/rollouts.ts')
  const page = await rolloutPage(store.db, workspace, id, now())
  if (!page) throw new MissingError(unknownRolloutText(id))
  return page
}

async function pageAfter(change: Promise<unknown>, call: CommandCall, at: AtRollout): Promise<Page> {
  await change
  return readRolloutPage(call, at)
}

function readNewRollout(request: OperatorRequest): NewRollout {
  const what = argument(request, 1)
  const list = (name: string) => {
    const typed = option(request, name)
    return typed === undefined ? undefined : listIn(typed)
  }
  const waves = list('waves')?.map((mark) => (mark === 'all' ? '100%' : mark))
  const agents = list('agents')
  const end = list('end')
  const minutes = option(request, 'watch')
  if (minutes !== undefined && !/^\d{1,6}(\.\d+)?$/.test(minutes)) {
    throw new UsageError(`A wave is watched for a number of minutes: got ${shown(minutes)}.`)
  }
  return {
    ...(what === 'runtime' ? { kind: 'runtime' } : { kind: 'blueprint', ...readVersionName(what) }),
    ...(agents && { agents }),
    ...(waves && { waves }),
    ...(end && { end }),
    ...(minutes !== undefined && { watchSeconds: Math.round(Number(minutes) * 60) }),
    byHand: request.options.byHand === true,
  }
}

function readVersionName(what: string) {
  const { name: blueprint, version } = splitVersionName(what)
  return { blueprint, version }
}

/** Refuses names of agents that do not exist. On the page people choose from the existing ones. */
function refuseUnknownAgents({ agents = [] }: NewRollout, { waves, leftOut }: RolloutPreview): void {
  const known = new Set([...waves.flatMap((wave) => wave.agents), ...leftOut.map(({ agent }) => agent)])
  const stranger = agents.find((name) => !known.has(name))
  if (stranger !== undefined) throw new MissingError(`There is no agent ${shown(stranger)} in the workspace.`)
}

const titleOf = ({ kind, blueprint, version }: RolloutRow): string =>
  kind === 'runtime' ? `runtime ${version}` : `${blueprint}@${version}`
const waveOf = ({ wave, waves }: RolloutRow): string => `${wave} of ${waves}`
/**
 * The number of agents that kept the version of the rollout, and the number of all agents of the rollout except those
 * left out.
 */
const keptOf = ({ counts }: RolloutRow): string => {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0) - counts.left_out
  return `${counts.kept} of ${all}`
}

function headOf(page: Page): string {
  const by = page.continuedBy === null ? page.createdBy : `${page.createdBy}, resumed by ${page.continuedBy}`
  return [
    `${titleOf(page)}: ${page.state}, wave ${waveOf(page)}, kept by ${keptOf(page)} (${page.id})`,
    page.says,
    `Started ${timeText(page.createdAt)} by ${by}; waves: ${page.upTo.join(', ')}.`,
  ]
    .map(oneSafeLine)
    .join('\n')
}

const agentsOf = (agents: readonly RolloutAgent[]): string =>
  tableText(
    ['WAVE', 'AGENT', 'STATE', 'RUNS', 'SINCE', 'WAITS FOR', 'WHY'],
    agents.map((a) => [
      ...[a.wave || '-', a.agent, a.state, a.running, timeText(a.at)],
      a.waits && waitText(a.waits),
      a.reason,
    ]),
    'It no longer has any agents.',
  )

const blockedText = (blockedBy: readonly BlockingRollout[]): string =>
  `To end the other rollouts and reach their agents, add: --end ${blockedBy.map(({ id }) => id).join(',')}`

const previewOf = ({ waves, leftOut }: RolloutPreview): string =>
  tableText(
    ['WAVE', 'AGENT', 'LEFT OUT'],
    [
      ...waves.flatMap(({ agents }, i) => agents.map((agent) => [i + 1, agent, null])),
      ...leftOut.map(({ agent, message }) => ['-', agent, message]),
    ],
    'There are no agents to update.',
  )
