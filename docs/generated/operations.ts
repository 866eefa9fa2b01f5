/** Makes the tables of docs/operations.md from the descriptions of the operations in packages/api. */
import {
  type AccessRight,
  account,
  actions,
  agents,
  alerts,
  blueprints,
  type ChangeRules,
  channels,
  commands,
  factors,
  history,
  type Operation,
  operations,
  type PageNotice,
  type ProofRule,
  rollouts,
  updates,
  views,
  workspaces,
} from '../../packages/api/src/index.ts'
import { code, lines, table } from './table.ts'

const nouns = {
  'Accounts and links': account,
  'Second factors and proofs': factors,
  'Workspaces and members': workspaces,
  Agents: agents,
  'Views of the list of agents': views,
  'History: states, changes and costs': history,
  'Commands and logs': commands,
  'Actions on many agents': actions,
  'Versions of agents': updates,
  Rollouts: rollouts,
  'Alerts, rules, channels and deliveries': { ...alerts, ...channels },
  'Blueprints, install codes and bots': blueprints,
}

const who: Readonly<Record<AccessRight, string>> = {
  anybody: 'anybody',
  link: 'anyone with the link',
  person: 'anybody signed in',
  member: 'members',
  admin: 'admins',
}
const hears: Readonly<Record<PageNotice, string>> = {
  list: 'the lists of the workspace',
  agent: 'the page of the agent',
  report: 'the row of the agent',
  alerts: 'alerts of the workspace',
  rights: 'streams whose right ended close',
}
const repeats: Readonly<Record<ChangeRules['again'], string>> = {
  same: 'changes nothing more',
  refused: 'is refused',
  new: 'does it once more',
}

export function operationTables(): string {
  return Object.entries(nouns)
    .map(([title, noun]) => sectionOf(title, noun))
    .join('\n\n')
}

function sectionOf(title: string, noun: object): string {
  const all = operations.filter((operation) => Object.values(noun).includes(operation)).sort(byPath)
  const reads = all.filter(({ change }) => change === undefined)
  return [`## ${title}`, readTable(reads), changeTable(all)].filter((part) => part !== '').join('\n\n')
}

const pathOf = ({ route }: Operation) => route.slice(route.indexOf(' '))
const byPath = (a: Operation, b: Operation) => pathOf(a).localeCompare(pathOf(b), 'en') || (a.route < b.route ? -1 : 1)

const readTable = (reads: readonly Operation[]) =>
  reads.length === 0 ? '' : table(['shows', 'route', 'who may', 'command'], reads.map(firstCells))

function changeTable(all: readonly Operation[]): string {
  const rows = all.flatMap((operation) => {
    const { change } = operation
    if (!change) return []
    const cells = [activity(change), pages(change), repeats[change.again]]
    return [[...firstCells(operation), proofCell(operation.proof), ...cells]]
  })
  if (rows.length === 0) return ''
  return table(
    ['does', 'route', 'who may', 'command', 'proof', 'activity', 'open pages that hear of it', 'a second call'],
    rows,
  )
}

const firstCells = ({ says, route, right, command }: Operation) => [
  says,
  code(route),
  who[right],
  command ? code(command.name) : '',
]
const proofCell = (proof: ProofRule | undefined) => (proof === undefined ? '' : proof === true ? 'yes' : proof.when)
const activity = ({ audit }: ChangeRules) => ('none' in audit ? `none: ${audit.none}` : lines(audit.map(code)))
const pages = (change: ChangeRules) =>
  'none' in change.pages ? `none: ${change.pages.none}` : lines(change.pages.map((notice) => hears[notice]))

export const handWrittenRoutes = () =>
  table(
    ['route', 'why'],
    [...operations].sort(byPath).flatMap(({ route, manual }) => (manual === undefined ? [] : [[code(route), manual]])),
  )
