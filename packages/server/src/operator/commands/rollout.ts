import {
  type BlockingRollout,
  type NewRollout,
  type RolloutAgent,
  type RolloutPage,
  type RolloutPreview,
  type RolloutRow,
  rollouts,
} from '@svc/api'
import { listIn, shown } from '@svc/protocol'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import { commandOf, type Stores } from '../shared/command.ts'
import { argument, granted, Missing, Misused, option, type Request, type Service } from '../shared/request.ts'
import { secretsText } from '../shared/secrets.ts'
import { line, moment, table } from '../shared/show.ts'
import { waitText } from '../shared/waits.ts'
import { versionedOf } from './blueprint.ts'

/** The maximum number of a workspace's rollouts that the terminal lists, newest first. The page shows all of them. */
const listed = 200

export const rolloutCommands = {
  ...commandOf(rollouts.rollouts, {
    run: async (request, service, { workspaceOf, rolloutsOf }) => {
      const workspace = await workspaceOf(service, argument(request, 0))
      return (await rolloutsOf(service.store.db, workspace, { limit: listed }, service.now())).rows
    },
    show: (all) =>
      table(
        ['ID', 'WHAT', 'STATE', 'WAVE', 'KEPT', 'BEGUN', 'BY', 'WHY'],
        all.map((r) => [r.id, titleOf(r), r.state, waveOf(r), keptOf(r), moment(r.createdAt), r.createdBy, r.why]),
        'No rollouts yet.',
      ),
  }),
  ...commandOf(rollouts.showRollout, {
    run: async (request, service, stores) => pageOf(service, stores, argument(request, 0)),
    show: (page) => `${headOf(page)}\n\n${agentsOf(page.agents)}`,
  }),
  ...commandOf(rollouts.startRollout, {
    run: async (request, service, stores) => {
      const wanted = wantedOf(request)
      const workspace = await stores.workspaceOf(service, argument(request, 0))
      const { store, now } = service
      const preview = granted(await stores.previewRollout(store.db, workspace, wanted, now()))
      refuseUnknownAgents(wanted, preview)
      // The secrets that the new version asks for, and that the running versions of the agents in the waves do not.
      const newSecrets =
        wanted.kind === 'blueprint'
          ? await stores.askedSecrets(store.db, workspace, versionOf(wanted, preview), reachedBy(preview))
          : undefined
      if (request.options.preview === true) return { preview, rollout: null, newSecrets }
      const { id } = await stores.perform(service, stores.startedRollout, { workspace }, wanted)
      return { preview, rollout: await pageOf(service, stores, id), newSecrets }
    },
    show: ({ preview, rollout, newSecrets }) =>
      [
        rollout ? headOf(rollout) : `${line(preview.version)} would go to:`,
        previewOf(preview),
        ...(preview.blockedBy.length > 0 ? [blockedText(preview.blockedBy)] : []),
        ...(newSecrets ? [secretsText(newSecrets).join('\n')] : []),
      ].join('\n\n'),
  }),
  ...commandOf(rollouts.pauseRollout, {
    run: (request, service, stores) =>
      act(request, service, stores, (at) => stores.perform(service, stores.pausedRollout, at, undefined)),
    show: headOf,
  }),
  ...commandOf(rollouts.continueRollout, {
    run: (request, service, stores) =>
      act(request, service, stores, (at) => stores.perform(service, stores.continuedRollout, at, undefined)),
    show: headOf,
  }),
  ...commandOf(rollouts.cancelRollout, {
    run: (request, service, stores) => {
      const withdraw = request.options.withdraw === true
      return act(request, service, stores, (at) => stores.perform(service, stores.cancelledRollout, at, { withdraw }))
    },
    show: headOf,
  }),
}

const versionOf = ({ blueprint = '' }: NewRollout, { version }: RolloutPreview) => ({ blueprint, version })
const reachedBy = ({ waves }: RolloutPreview) => waves.flatMap(({ agents }) => agents)

interface AtRollout {
  workspace: WorkspaceInfo
  params: { slug: string; id: string }
}

/** Makes a change to the rollout that the first argument names, and returns the rollout as it is afterwards. */
async function act(
  request: Request,
  service: Service,
  stores: Stores,
  change: (at: AtRollout) => Promise<unknown>,
): Promise<Page> {
  const id = argument(request, 0)
  const workspace = (await stores.workspaceOfRollout(service.store.db, id)) ?? unknown(id)
  await change({ workspace, params: { slug: workspace.slug, id } })
  return pageOf(service, stores, id)
}

type Page = Omit<RolloutPage, 'canAct'>

async function pageOf({ store, now }: Service, stores: Stores, id: string): Promise<Page> {
  const workspace = (await stores.workspaceOfRollout(store.db, id)) ?? unknown(id)
  return (await stores.rolloutPage(store.db, workspace, id, now())) ?? unknown(id)
}

function unknown(id: string): never {
  throw new Missing(`There is no rollout ${shown(id)}. It may have been deleted.`)
}

function wantedOf(request: Request): NewRollout {
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
    throw new Misused(`A wave is watched for a number of minutes: got ${shown(minutes)}.`)
  }
  return {
    ...(what === 'runtime' ? { kind: 'runtime' } : { kind: 'blueprint', ...named(what) }),
    ...(agents && { agents }),
    ...(waves && { waves }),
    ...(end && { end }),
    ...(minutes !== undefined && { watchSeconds: Math.round(Number(minutes) * 60) }),
    byHand: request.options.byHand === true,
  }
}

function named(what: string) {
  const { name: blueprint, version } = versionedOf(what)
  return { blueprint, version }
}

/** Refuses names of agents that do not exist. On the page people choose from the existing ones. */
function refuseUnknownAgents({ agents = [] }: NewRollout, { waves, leftOut }: RolloutPreview): void {
  const known = new Set([...waves.flatMap((wave) => wave.agents), ...leftOut.map(({ agent }) => agent)])
  const stranger = agents.find((name) => !known.has(name))
  if (stranger !== undefined) throw new Missing(`There is no agent ${shown(stranger)} in the workspace.`)
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
    `Started ${moment(page.createdAt)} by ${by}; waves: ${page.upTo.join(', ')}.`,
  ]
    .map(line)
    .join('\n')
}

const agentsOf = (agents: readonly RolloutAgent[]): string =>
  table(
    ['WAVE', 'AGENT', 'STATE', 'RUNS', 'SINCE', 'WAITS FOR', 'WHY'],
    agents.map((a) => [
      ...[a.wave || '-', a.agent, a.state, a.running, moment(a.at)],
      a.waits && waitText(a.waits),
      a.reason,
    ]),
    'It no longer has any agents.',
  )

const blockedText = (blockedBy: readonly BlockingRollout[]): string =>
  `To end the other rollouts and reach their agents, add: --end ${blockedBy.map(({ id }) => id).join(',')}`

const previewOf = ({ waves, leftOut }: RolloutPreview): string =>
  table(
    ['WAVE', 'AGENT', 'LEFT OUT'],
    [
      ...waves.flatMap(({ agents }, i) => agents.map((agent) => [i + 1, agent, null])),
      ...leftOut.map(({ agent, message }) => ['-', agent, message]),
    ],
    'There are no agents to update.',
  )
