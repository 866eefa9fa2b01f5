/** Commands for workspaces and their activity. */
import { slugArgument, workspaces } from '@svc/api'
import { shown, sizeText } from '@svc/protocol'
import { isKindOfActivity } from '../../people/audit/kinds.ts'
import { minuteText } from '../../platform/limits/units.ts'
import { defineCommand, operationCommand } from '../shared/command.ts'
import { inWorkspace, inWorkspaceOrService } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import {
  argument,
  asOperator,
  grantedToOperator,
  type OperatorRequest,
  option,
  rawArgument,
  rawOption,
  readOptions,
  requireYes,
  UsageError,
} from '../shared/request.ts'
import { oneSafeLine, tableText, timeText } from '../shared/show.ts'

const product: [string, string] = [
  '<product>',
  'svc is this service itself; others are added with svc-server product add',
]

export const workspaceCommands = {
  'workspace create': defineCommand({
    says: 'create a workspace; its agents are refused until it is activated',
    args: [slugArgument],
    options: [['--name <name>', 'as people see it (default: the short name)']],
    run: async (call) => {
      const { createWorkspace } = await import('../../people/workspaces/store.ts')
      const slug = argument(call, 0)
      const wanted = { slug, name: rawOption(call, 'name') ?? slug }
      const made = grantedToOperator(await createWorkspace(asOperator(call), wanted))
      return { slug: made.slug, name: made.name }
    },
    show: ({ slug, name }) =>
      `Created the workspace ${slug} (${oneSafeLine(name)}). Its agents may report once it is activated: svc-server workspace activate ${slug} svc`,
  }),
  ...operationCommand(workspaces.renameWorkspace, {
    at: inWorkspace,
    run: async (call, at) => {
      const { slug, name } = await perform(call, workspaces.renameWorkspace, at, { name: rawArgument(call, 1) })
      return { slug, name }
    },
    show: ({ slug, name }) => `The workspace ${slug} is now called ${oneSafeLine(name)}. Its short name stays.`,
  }),
  ...operationCommand(workspaces.deleteWorkspace, {
    at: inWorkspace,
    run: async (call, { workspace }) => {
      // Counting reads the rows of all agents, so it is done only if the command must ask for `--yes`.
      if (call.options.yes !== true) {
        const { deletionCounts: goingWith } = await import('../../people/workspaces/delete.ts')
        const { agents, runs, logs, people } = await goingWith(call.store.db, workspace)
        const goes = [countText(agents, 'agent'), countText(runs, 'run'), countText(logs, 'log')].join(', ')
        requireYes(
          call,
          `This deletes the workspace ${workspace.slug} (${oneSafeLine(workspace.name)}): ${goes}. ${countText(people, 'member')} will have no access.`,
        )
      }
      await perform(call, workspaces.deleteWorkspace, { workspace })
      return { slug: workspace.slug, deleted: true }
    },
    show: ({ slug }) => `Deleted the workspace ${slug}. Its agents are refused, and its data is being erased.`,
  }),
  'workspace list': defineCommand({
    says: 'all workspaces',
    run: async ({ store }) => {
      const { listWorkspaces } = await import('../../people/workspaces/store.ts')
      const all = await listWorkspaces(store.db)
      return all.map(({ slug, name, members, agents, products }) => ({ slug, name, members, agents, products }))
    },
    show: (all) =>
      tableText(
        ['WORKSPACE', 'NAME', 'PEOPLE', 'AGENTS', 'ACTIVATED FOR'],
        all.map((w) => [w.slug, w.name, w.members, w.agents, w.products.join(', ') || '-']),
        'No workspaces yet.',
      ),
  }),
  'workspace limit': defineCommand({
    says: 'show the limits of a workspace and its usage; with options, change limits (default restores one)',
    args: [slugArgument],
    options: [
      ['--agents <n>', 'agents (default: 10,000)'],
      ['--people <n>', 'members and open invitations (default: 200)'],
      ['--bundles <size>', 'bytes of all bundles, such as 500MB or 2GB (default: 1GB)'],
    ],
    run: async (call) => {
      const { readLimits, setLimits } = await import('../../people/workspaces/limits.ts')
      const changes = limitsIn(call)
      const { workspace } = await inWorkspace(call)
      if (Object.keys(changes).length > 0) await setLimits(asOperator(call), workspace, changes)
      return { slug: workspace.slug, ...(await readLimits(call.store.db, workspace, call.now())) }
    },
    show: ({ agents, people, bundles }) =>
      tableText(
        ['', 'USED', 'LIMIT'],
        [
          ['Agents', agents.used, agents.limit],
          ['Members and open invitations', people.used, people.limit],
          ['Bundles', sizeText(bundles.used), sizeText(bundles.limit)],
        ],
        '',
      ),
  }),
  'workspace require-factor': defineCommand({
    says: 'have the admins of a workspace need a second factor from a date on; without one they have the rights of a member',
    args: [slugArgument, ['<on|off>', 'on requires a second factor, off ends the requirement']],
    options: [
      ['--from <date>', 'such as 2026-12-01, or a time in ISO 8601; a past one means now (default: in 7 days)'],
    ],
    run: async (call) => {
      const { requiredInMs } = await import('../../people/factors/rules.ts')
      const { requireFactor } = await import('../../people/workspaces/requirement.ts')
      const word = argument(call, 1)
      if (word !== 'on' && word !== 'off') throw new UsageError(`Say on or off: got ${shown(word)}.`)
      const typed = option(call, 'from')
      if (word === 'off' && typed !== undefined) throw new UsageError('off takes no date: leave --from out.')
      const { workspace } = await inWorkspace(call)
      const from = word === 'off' ? null : typed === undefined ? call.now() + requiredInMs : dateIn(typed)
      const factorFrom = grantedToOperator(await requireFactor(asOperator(call), workspace, from))
      call.live.listChanged(workspace.id)
      return { slug: workspace.slug, factorFrom }
    },
    show: ({ slug, factorFrom }) =>
      factorFrom === null
        ? `The admins of ${slug} need no second factor.`
        : `The admins of ${slug} need a second factor from ${minuteText(factorFrom)} on.`,
  }),
  'workspace activate': defineCommand({
    says: 'let the agents of a workspace use a product',
    args: [slugArgument, product],
    run: async (call) => {
      const { activate } = await import('../../people/workspaces/store.ts')
      const [of, to] = [argument(call, 0), argument(call, 1)]
      const workspace = grantedToOperator(await activate(asOperator(call), of, to))
      call.live.listChanged(workspace.id)
      return { slug: workspace.slug, product: to, activated: true }
    },
    show: ({ slug, product }) => `The workspace ${slug} is activated for ${product}.`,
  }),
  'workspace deactivate': defineCommand({
    says: 'deactivate a product; agents are refused from the next report on',
    args: [slugArgument, product],
    at: inWorkspace,
    run: async (call, { workspace: { id, slug } }) => {
      const { deactivate } = await import('../../people/workspaces/store.ts')
      const to = argument(call, 1)
      grantedToOperator(await deactivate(asOperator(call), slug, to))
      call.live.listChanged(id)
      return { slug, product: to, activated: false }
    },
    show: ({ slug, product }) => `The workspace ${slug} is no longer activated for ${product}.`,
  }),
}

const countText = (count: number, what: string): string =>
  `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`

/** Reads a typed time in ISO 8601 as Unix milliseconds. A date means its beginning in UTC. */
function dateIn(typed: string): number {
  const at = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(typed) ? Date.parse(typed) : Number.NaN
  if (Number.isNaN(at)) throw new UsageError(`A date is such as 2026-12-01 or 2026-12-01T08:00Z: got ${shown(typed)}.`)
  return at
}

type TypedLimits = Partial<Record<'agents' | 'people' | 'bundles', number | null>>

/** Reads limits of a workspace as people type them. `default` restores the default. */
function limitsIn(request: OperatorRequest): TypedLimits {
  const [agents, people, bundles] = ['agents', 'people', 'bundles'].map((name) => option(request, name))
  return {
    ...(agents !== undefined && { agents: wholeFrom('--agents', agents) }),
    ...(people !== undefined && { people: wholeFrom('--people', people) }),
    ...(bundles !== undefined && { bundles: bytesFrom(bundles) }),
  }
}

function wholeFrom(name: string, text: string): number | null {
  if (text === 'default') return null
  const whole = Number(text.replaceAll(',', ''))
  if (/^[\d,]+$/.test(text) && whole <= 1e9) return whole
  throw new UsageError(`${name} is a whole number, or default: got ${shown(text)}.`)
}

const units: Readonly<Record<string, number>> = { '': 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }

function bytesFrom(text: string): number | null {
  if (text === 'default') return null
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([KMGT]?B|)$/i.exec(text) ?? []
  const factor = units[unit.toUpperCase()] ?? (unit.toUpperCase() === 'B' ? 1 : undefined)
  const bytes = number === '' || factor === undefined ? Number.NaN : Math.round(Number(number) * factor)
  if (Number.isSafeInteger(bytes)) return bytes
  throw new UsageError(`--bundles is a size such as 500MB or 2GB, or default: got ${shown(text)}.`)
}

/** The kinds of `--kind`, without spaces. A word that cannot be a kind is refused, since it would select nothing. */
function kindsIn(typed: string): string {
  const kinds = typed.split(',').map((word) => word.trim())
  if (kinds.every(isKindOfActivity)) return kinds.join(',')
  throw new UsageError(`--kind is one or more kinds, such as agent.created, or command,log: got ${shown(typed)}.`)
}

export const auditCommands = {
  'audit list': defineCommand({
    says: 'who did what, when, to what in a workspace, newest first',
    args: [['<slug>', "the workspace's short name, or @service for what belongs to no workspace"]],
    options: [
      ['--since <time>', 'from this moment on: 2026-11-21, 2026-11-21T12:00:00Z or Unix seconds'],
      ['--by <name>', 'only what this person did, by the name in the lines'],
      ['--kind <kinds>', 'only these kinds, or what they begin with: agent.created, or command,log'],
      ['--text <words>', 'only lines that hold all these words, such as the name of an agent'],
    ],
    at: inWorkspaceOrService,
    run: async (call, { workspace }) => {
      const { scopeOf } = await import('../../alerts/scope.ts')
      const { activityRows } = await import('../../web/queries/activity.ts')
      const filter = readOptions(call, workspaces.activity, 'by', 'kind', 'text')
      const since = momentOf(option(call, 'since'))
      const kind = filter.kind === undefined ? undefined : kindsIn(filter.kind)
      const place = { id: scopeOf(workspace).workspaceId }
      const rows = await activityRows(call.store.db, place, { ...filter, kind, since })
      return rows.map(({ id, at, actor, action, subject, details }) => ({
        ...{ id, at, actor, action, subject },
        details: JSON.parse(details) as Record<string, unknown>,
      }))
    },
    show: (all) =>
      tableText(
        ['WHEN', 'WHO', 'WHAT', 'TO WHAT', ''],
        all.map((e) => [
          timeText(e.at),
          e.actor,
          e.action,
          e.subject,
          Object.keys(e.details).length === 0 ? '' : JSON.stringify(e.details),
        ]),
        'No activity fits.',
      ),
  }),
}

/** Reads the time of an option as Unix milliseconds; 0 if the option is missing. */
function momentOf(text: string | undefined): number {
  if (text === undefined) return 0
  const at = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text)
  if (Number.isNaN(at))
    throw new UsageError(`A time looks like 2026-11-21T12:00:00Z or is Unix seconds: got ${shown(text)}.`)
  return at
}
