import { workspaces } from '@svc/api'
import { shown, sizeText } from '@svc/protocol'
import { command, commandOf } from '../shared/command.ts'
import { limitsIn } from '../shared/limits.ts'
import {
  argument,
  confirmed,
  granted,
  Misused,
  operator,
  option,
  typedArgument,
  typedOption,
} from '../shared/request.ts'
import { line, table } from '../shared/show.ts'

const slug: [string, string] = ['<slug>', "the workspace's short name"]
const product: [string, string] = [
  '<product>',
  'svc is this service itself; others are added with svc-server product add',
]

export const workspaceCommands = {
  'workspace create': command({
    says: 'create a workspace; its agents are refused until it is activated',
    args: [slug],
    options: [['--name <name>', 'as people see it (default: the short name)']],
    run: async (request, { store, auth, now }, { createWorkspace }) => {
      const wanted = { slug: argument(request, 0), name: typedOption(request, 'name') ?? argument(request, 0) }
      const made = granted(await createWorkspace({ people: { store, auth }, by: operator, now: now() }, wanted))
      return { slug: made.slug, name: made.name }
    },
    show: ({ slug, name }) =>
      `Created the workspace ${slug} (${line(name)}). Its agents may report once it is activated: svc-server workspace activate ${slug} svc`,
  }),
  ...commandOf(workspaces.renameWorkspace, {
    run: async (request, service, { perform, renamedWorkspace, workspaceOf }) => {
      const workspace = await workspaceOf(service, argument(request, 0))
      const { slug, name } = await perform(
        service,
        renamedWorkspace,
        { workspace },
        { name: typedArgument(request, 1) },
      )
      return { slug, name }
    },
    show: ({ slug, name }) => `The workspace ${slug} is now called ${line(name)}. Its short name stays.`,
  }),
  ...commandOf(workspaces.deleteWorkspace, {
    run: async (request, service, { goingWith, perform, removedWorkspace, workspaceOf }) => {
      const workspace = await workspaceOf(service, argument(request, 0))
      // Counting reads the rows of all agents, so it is done only for the question.
      if (request.options.yes !== true) {
        const { agents, runs, logs, people } = await goingWith(service.store.db, workspace)
        const goes = [counted(agents, 'agent'), counted(runs, 'run'), counted(logs, 'log')].join(', ')
        confirmed(
          request,
          `This deletes the workspace ${workspace.slug} (${line(workspace.name)}): ${goes}. ${counted(people, 'member')} will have no access.`,
        )
      }
      await perform(service, removedWorkspace, { workspace }, undefined)
      return { slug: workspace.slug, deleted: true }
    },
    show: ({ slug }) => `Deleted the workspace ${slug}. Its agents are refused, and its data is being erased.`,
  }),
  'workspace list': command({
    says: 'all workspaces',
    run: async (_, { store }, { listWorkspaces }) =>
      (await listWorkspaces(store.db)).map(({ slug, name, members, agents, products }) => ({
        slug,
        name,
        members,
        agents,
        products,
      })),
    show: (all) =>
      table(
        ['WORKSPACE', 'NAME', 'PEOPLE', 'AGENTS', 'ACTIVATED FOR'],
        all.map((w) => [w.slug, w.name, w.members, w.agents, w.products.join(', ') || '-']),
        'No workspaces yet.',
      ),
  }),
  'workspace limit': command({
    says: 'show the limits of a workspace and its usage; with options, change limits (default restores one)',
    args: [slug],
    options: [
      ['--agents <n>', 'agents (default: 10,000)'],
      ['--people <n>', 'members and open invitations (default: 200)'],
      ['--bundles <size>', 'bytes of all bundles, such as 500MB or 2GB (default: 1GB)'],
    ],
    run: async (request, service, { limitsOf, setLimits, workspaceOf }) => {
      const { store, now } = service
      const changes = limitsIn(request)
      const workspace = await workspaceOf(service, argument(request, 0))
      if (Object.keys(changes).length > 0)
        await setLimits({ db: store.db, by: operator, now: now() }, workspace, changes)
      return { slug: workspace.slug, ...(await limitsOf(store.db, workspace, now())) }
    },
    show: ({ agents, people, bundles }) =>
      table(
        ['', 'USED', 'LIMIT'],
        [
          ['Agents', agents.used, agents.limit],
          ['Members and open invitations', people.used, people.limit],
          ['Bundles', sizeText(bundles.used), sizeText(bundles.limit)],
        ],
        '',
      ),
  }),
  'workspace require-factor': command({
    says: 'have the admins of a workspace need a second factor from a date on; without one they have the rights of a member',
    args: [slug, ['<on|off>', 'on requires a second factor, off ends the requirement']],
    options: [
      ['--from <date>', 'such as 2026-12-01, or a time in ISO 8601; a past one means now (default: in 7 days)'],
    ],
    run: async (request, service, { requiredIn, requireFactor, workspaceOf }) => {
      const { store, live, now } = service
      const word = argument(request, 1)
      if (word !== 'on' && word !== 'off') throw new Misused(`Say on or off: got ${shown(word)}.`)
      const typed = option(request, 'from')
      if (word === 'off' && typed !== undefined) throw new Misused('off takes no date: leave --from out.')
      const workspace = await workspaceOf(service, argument(request, 0))
      const from = word === 'off' ? null : typed === undefined ? now() + requiredIn : dateIn(typed)
      const factorFrom = granted(await requireFactor({ db: store.db, by: operator, now: now() }, workspace, from))
      live.listChanged(workspace.id)
      return { slug: workspace.slug, factorFrom }
    },
    show: ({ slug, factorFrom }) =>
      factorFrom === null
        ? `The admins of ${slug} need no second factor.`
        : `The admins of ${slug} need a second factor from ${new Date(factorFrom).toISOString().slice(0, 16).replace('T', ' ')} UTC on.`,
  }),
  'workspace activate': command({
    says: 'let the agents of a workspace use a product',
    args: [slug, product],
    run: async (request, { store, live, now }, { activate }) => {
      const [of, to] = [argument(request, 0), argument(request, 1)]
      const workspace = granted(await activate({ db: store.db, by: operator, now: now() }, of, to))
      live.listChanged(workspace.id)
      return { slug: workspace.slug, product: to, activated: true }
    },
    show: ({ slug, product }) => `The workspace ${slug} is activated for ${product}.`,
  }),
  'workspace deactivate': command({
    says: 'deactivate a product; agents are refused from the next report on',
    args: [slug, product],
    run: async (request, service, { deactivate, workspaceOf }) => {
      const { store, live, now } = service
      const [of, to] = [argument(request, 0), argument(request, 1)]
      await workspaceOf(service, of)
      const workspace = granted(await deactivate({ db: store.db, by: operator, now: now() }, of, to))
      live.listChanged(workspace.id)
      return { slug: workspace.slug, product: to, activated: false }
    },
    show: ({ slug, product }) => `The workspace ${slug} is no longer activated for ${product}.`,
  }),
}

const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`

/** The time of a date, at its beginning in UTC, or of a time in ISO 8601. */
function dateIn(typed: string): number {
  const at = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(typed) ? Date.parse(typed) : Number.NaN
  if (Number.isNaN(at)) throw new Misused(`A date is such as 2026-12-01 or 2026-12-01T08:00Z: got ${shown(typed)}.`)
  return at
}
