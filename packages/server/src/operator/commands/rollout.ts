import type { NewRollout, RolloutAgent, RolloutPage, RolloutPreview, RolloutRow } from '@svc/api'
import { shown } from '@svc/protocol'
import { command, type Stores } from '../kit/command.ts'
import { argument, granted, Missing, Misused, operator, option, type Request, type Service } from '../kit/request.ts'
import { secretsText } from '../kit/secrets.ts'
import { line, moment, table } from '../kit/show.ts'
import { versionedOf } from './blueprint.ts'

const slug: [string, string] = ['<slug>', "the workspace's short name"]
const id: [string, string] = ['<id>', 'as svc-server rollout list names it']
/** Of the newest rollouts; the page has them all. */
const listed = 200

export const rolloutCommands = {
  'rollout list': command({
    says: 'the rollouts of a workspace, newest first',
    args: [slug],
    run: async (request, service, { workspaceOf, rolloutsOf }) => {
      const workspace = await workspaceOf(service, argument(request, 0))
      return (await rolloutsOf(service.store.db, workspace, { limit: listed }, service.now())).rows
    },
    show: (all) =>
      table(
        ['ID', 'WHAT', 'STATE', 'WAVE', 'KEPT', 'BEGUN', 'BY', 'WHY'],
        all.map((r) => [r.id, titleOf(r), r.state, waveOf(r), keptOf(r), moment(r.createdAt), r.createdBy, r.why]),
        'No rollout yet.',
      ),
  }),
  'rollout show': command({
    says: 'how a rollout stands, and each of its agents with the reason',
    args: [id],
    run: async (request, service, stores) => pageOf(service, stores, argument(request, 0)),
    show: (page) => `${headOf(page)}\n\n${agentsOf(page.agents)}`,
  }),
  'rollout begin': command({
    says: 'bring a version to the agents of a workspace in waves, which halt by themselves',
    args: [slug, ['<what>', 'BLUEPRINT@VERSION, or runtime: the version that is served']],
    options: [
      ['--agents <names>', 'only these: NAME,NAME… (default: all of the blueprint, or of the workspace)'],
      ['--waves <marks>', 'how many are reached after each wave (default: 1,10%,all)'],
      ['--watch <minutes>', 'how long a wave is watched before the next begins (default: 10)'],
      ['--by-hand', 'each wave begins with svc-server rollout continue'],
      ['--preview', 'only says who would be in which wave, and who is left out and why'],
    ],
    run: async (request, service, stores) => {
      const wanted = wantedOf(request)
      const workspace = await stores.workspaceOf(service, argument(request, 0))
      const { store, now } = service
      const preview = granted(await stores.previewRollout(store.db, workspace, wanted, now()))
      refuseStrangers(wanted, preview)
      const newSecrets =
        wanted.kind === 'blueprint' ? await asksFor(service, stores, workspace, wanted, preview) : undefined
      if (request.options.preview === true) return { preview, rollout: null, newSecrets }
      const made = granted(await stores.createRollout(store.db, workspace, wanted, operator, now()))
      await stores.advanceNow(service, workspace, made.id, now())
      return { preview, rollout: await pageOf(service, stores, made.id), newSecrets }
    },
    show: ({ preview, rollout, newSecrets }) =>
      [
        rollout ? headOf(rollout) : `${line(preview.version)} would go to:`,
        previewOf(preview),
        ...(newSecrets ? [secretsText(newSecrets).join('\n')] : []),
      ].join('\n\n'),
  }),
  'rollout pause': command({
    says: 'stop where it is: nobody else is told of the version until it is continued',
    args: [id],
    run: (request, service, stores) =>
      act(request, service, stores, (at, it) => stores.pauseRollout(service.store.db, at, it, operator, service.now())),
    show: headOf,
  }),
  'rollout continue': command({
    says: 'go on after a halt or a pause, or begin the next wave now',
    args: [id],
    run: (request, service, stores) =>
      act(request, service, stores, (at, it) =>
        stores.continueRollout(service.store.db, at, it, operator, service.now()),
      ),
    show: headOf,
  }),
  'rollout cancel': command({
    says: 'end it; agents that were reached keep what they have',
    args: [id],
    options: [['--withdraw', 'also withdraw the wish from agents that have not carried it out']],
    run: (request, service, stores) =>
      act(request, service, stores, (at, it) => {
        const withdraw = request.options.withdraw === true
        return stores.cancelRollout(service.store.db, at, it, withdraw, operator, service.now())
      }),
    show: headOf,
  }),
}

/** What the version asks for and those that run on the agents in the waves do not. */
function asksFor(
  { store }: Service,
  { askedSecrets }: Stores,
  workspace: { id: string },
  { blueprint = '' }: NewRollout,
  { version, waves }: RolloutPreview,
) {
  const agents = waves.flatMap((wave) => wave.agents)
  return askedSecrets(store.db, workspace, { blueprint, version }, agents)
}

/** Does it, takes the rollout as far as it goes then, and says how it stands. */
async function act(
  request: Request,
  service: Service,
  stores: Stores,
  change: (workspace: { id: string }, id: string) => ReturnType<Stores['pauseRollout']>,
) {
  const id = argument(request, 0)
  const workspace = (await stores.workspaceOfRollout(service.store.db, id)) ?? unknown(id)
  granted(await change(workspace, id))
  await stores.advanceNow(service, workspace, id, service.now())
  return pageOf(service, stores, id)
}

type Page = Omit<RolloutPage, 'canAct'>

async function pageOf({ store, now }: Service, stores: Stores, id: string): Promise<Page> {
  const workspace = (await stores.workspaceOfRollout(store.db, id)) ?? unknown(id)
  return (await stores.rolloutPage(store.db, workspace, id, now())) ?? unknown(id)
}

function unknown(id: string): never {
  throw new Missing(`There is no rollout ${shown(id)}, or none any more.`)
}

function wantedOf(request: Request): NewRollout {
  const what = argument(request, 1)
  const list = (name: string) =>
    option(request, name)
      ?.split(',')
      .map((part) => part.trim())
  const waves = list('waves')?.map((mark) => (mark === 'all' ? '100%' : mark))
  const agents = list('agents')
  const minutes = option(request, 'watch')
  if (minutes !== undefined && !/^\d{1,6}(\.\d+)?$/.test(minutes)) {
    throw new Misused(`A wave is watched for a number of minutes: got ${shown(minutes)}.`)
  }
  return {
    ...(what === 'runtime' ? { kind: 'runtime' } : { kind: 'blueprint', ...named(what) }),
    ...(agents && { agents }),
    ...(waves && { waves }),
    ...(minutes !== undefined && { watchSeconds: Math.round(Number(minutes) * 60) }),
    byHand: request.options.byHand === true,
  }
}

function named(what: string) {
  const { name: blueprint, version } = versionedOf(what)
  return { blueprint, version }
}

/** A page offers the agents that there are; what is typed may be wrong. */
function refuseStrangers({ agents = [] }: NewRollout, { waves, leftOut }: RolloutPreview): void {
  const known = new Set([...waves.flatMap((wave) => wave.agents), ...leftOut.map(({ agent }) => agent)])
  const stranger = agents.find((name) => !known.has(name))
  if (stranger !== undefined) throw new Missing(`There is no agent ${shown(stranger)} in the workspace.`)
}

const titleOf = ({ kind, blueprint, version }: RolloutRow): string =>
  kind === 'runtime' ? `runtime ${version}` : `${blueprint}@${version}`
const waveOf = ({ wave, waves }: RolloutRow): string => `${wave} of ${waves}`
/** How many keep the version, of those that it is for. */
const keptOf = ({ counts }: RolloutRow): string => {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0) - counts.left_out
  return `${counts.kept} of ${all}`
}

function headOf(page: Page): string {
  const by = page.continuedBy === null ? page.createdBy : `${page.createdBy}, continued by ${page.continuedBy}`
  return [
    `${titleOf(page)}: ${page.state}, wave ${waveOf(page)}, kept by ${keptOf(page)} (${page.id})`,
    page.says,
    `Begun ${moment(page.createdAt)} by ${by}; waves: ${page.upTo.join(', ')}.`,
  ]
    .map(line)
    .join('\n')
}

const agentsOf = (agents: readonly RolloutAgent[]): string =>
  table(
    ['WAVE', 'AGENT', 'STATE', 'RUNS', 'SINCE', 'WHY'],
    agents.map((a) => [a.wave || '-', a.agent, a.state, a.running, moment(a.at), a.reason]),
    'It has no agent any more.',
  )

const previewOf = ({ waves, leftOut }: RolloutPreview): string =>
  table(
    ['WAVE', 'AGENT', 'LEFT OUT'],
    [
      ...waves.flatMap(({ agents }, i) => agents.map((agent) => [i + 1, agent, null])),
      ...leftOut.map(({ agent, message }) => ['-', agent, message]),
    ],
    'There is no agent that it could reach.',
  )
