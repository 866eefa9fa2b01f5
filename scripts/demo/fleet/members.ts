/**
 * The simulated fleet of `npm run demo -- --agents N`: what each of its agents is. A pure function of the number of
 * agents and a seed, so that the process that reports for them needs only their tokens.
 */
import type { Level } from '@svc/protocol'
import { share } from '../coder-simulated/work.mts'

/** The beginning of every name in the fleet. It is short, since narrow lists cut long names. */
export const namePrefix = 'sim-'
/** The beginning of every detail that an agent of the fleet reports. */
export const detailPrefix = 'Simulated: '

export interface Member {
  name: string
  /** The seed of everything about this agent that looks like chance. */
  seed: number
  host: string
  version: string
  tags: readonly string[]
  work: Work
  condition: Condition
}

/** A kind of work. Without models, the agent's runs cost nothing. */
export interface Work {
  name: string
  /** The label while a run is in progress. */
  label: string
  run: string
  /** The word for a thing that a run handles; `many` is the word for several. */
  subject: string
  many: string
  /** The health item that the agent reports. */
  health: string
  team: string
  models: readonly string[]
  /** About how many US dollars one run costs. */
  dollars: number
}

/** How an agent of the fleet fares, apart from its runs and from commands of people. */
export interface Condition {
  /** The agent never reports, reports only once, or reports that it was stopped on its machine. */
  reports?: 'never' | 'once' | 'stops'
  /** The reported state. Its `detail` is without `detailPrefix`, which the report adds. */
  state?: { level: Level; label: string; detail: string }
  /** The condition comes and goes. */
  flaps?: true
  /** The condition is over soon after the first report, so that the alert about it ends. */
  recovers?: true
  isPaused?: true
  /** The only kind of work that can have this condition. */
  work?: string
}

const works: readonly Work[] = [
  {
    ...{
      name: 'mail',
      team: 'support',
      label: 'Sorting mail',
      run: 'triage',
      subject: 'letter',
      many: 'letters',
      health: 'Mailbox',
    },
    ...{ models: ['simulated-large', 'simulated-small'], dollars: 0.2 },
  },
  {
    ...{
      name: 'tickets',
      team: 'support',
      label: 'Answering tickets',
      run: 'answer',
      subject: 'ticket',
      many: 'tickets',
    },
    ...{ health: 'Ticket system', models: ['simulated-large'], dollars: 0.35 },
  },
  {
    ...{
      name: 'invoices',
      team: 'finance',
      label: 'Filing invoices',
      run: 'filing',
      subject: 'invoice',
      many: 'invoices',
    },
    ...{ health: 'Archive', models: ['simulated-small'], dollars: 0.04 },
  },
  {
    ...{
      name: 'docs',
      team: 'legal',
      label: 'Reviewing documents',
      run: 'review',
      subject: 'document',
      many: 'documents',
    },
    ...{ health: 'Repository', models: ['simulated-large', 'simulated-vision'], dollars: 0.5 },
  },
  {
    ...{
      name: 'backup',
      team: 'platform',
      label: 'Copying files',
      run: 'backup',
      subject: 'volume',
      many: 'volumes',
      health: 'Storage',
    },
    ...{ models: [], dollars: 0 },
  },
  {
    ...{
      name: 'prices',
      team: 'sales',
      label: 'Comparing prices',
      run: 'survey',
      subject: 'shop',
      many: 'shops',
      health: 'Shops',
    },
    ...{ models: [], dollars: 0 },
  },
]

/** The conditions with the share of the fleet that has each of them. All other agents are well. */
const conditions: readonly (readonly [share: number, Condition])[] = [
  [
    0.02,
    {
      work: 'mail',
      state: { level: 'bad', label: 'HTTP 401 from the mailbox', detail: 'the password was changed.' },
    },
  ],
  [0.01, { state: { level: 'bad', label: 'Queue timeout', detail: 'no answer from queue-1 for 5 minutes.' } }],
  [0.005, { state: { level: 'bad', label: 'Disk full', detail: 'a clean-up makes room.' }, recovers: true }],
  [0.03, { state: { level: 'warn', label: 'Slow answers', detail: 'an answer takes more than 20 s.' }, flaps: true }],
  [0.02, { state: { level: 'warn', label: 'Waits for a person', detail: 'two items have no order number.' } }],
  [0.01, { reports: 'never' }],
  [0.01, { reports: 'once' }],
  [0.01, { reports: 'stops' }],
  [0.01, { isPaused: true }],
  [0.1, { state: { level: 'info', label: 'Idle', detail: 'there is nothing to do.' } }],
]
const well: Condition = {}

/** The versions, each as often as it should occur among 50 agents. */
const versions = Object.entries({ '1.4.0': 30, '1.3.9': 12, '1.2.0': 4, '1.5.0-rc.1': 3, nightly: 1 }).flatMap(
  ([version, times]) => Array<string>(times).fill(version),
)
const sites = ['build', 'edge-east', 'edge-west', 'office'] as const
const agentsPerHost = 12
/** The number of agents from which on each condition occurs. */
const agentsForAll = 30

export function membersOf(count: number, seed: number): Member[] {
  const given = conditionsOf(count, seed)
  const named = new Map<string, number>()
  return given.map((condition, i) => {
    const own = Math.floor(share(seed, 1000 + i) * 2 ** 31)
    const work = works.find(({ name }) => name === condition.work) ?? pick(works, share(own, 1))
    const number = (named.get(work.name) ?? 0) + 1
    named.set(work.name, number)
    const host = 1 + Math.floor((share(own, 2) * count) / agentsPerHost / sites.length)
    return {
      name: `${namePrefix}${work.name}-${number}`,
      seed: own,
      host: `${pick(sites, share(own, 3))}-${host}`,
      version: pick(versions, share(own, 4)),
      tags: tagsOf(own, work),
      work,
      condition,
    }
  })
}

/** A few tags, as an admin would give them: a region, a stage and a team. Some agents have none. */
function tagsOf(own: number, { team }: Work): string[] {
  if (share(own, 40) < 0.05) return []
  const region = pick(['eu', 'eu', 'us', 'asia'], share(own, 41))
  const stage = pick(['prod', 'prod', 'prod', 'staging'], share(own, 42))
  return [region, stage, `team:${team}`]
}

/**
 * The condition of each agent: a fixed share of the fleet has each condition, and chance decides which agents. If there
 * are enough agents, each condition occurs.
 */
function conditionsOf(count: number, seed: number): Condition[] {
  const minCount = count < agentsForAll ? 0 : 1
  const all: Condition[] = conditions.flatMap(([part, condition]) =>
    Array(Math.max(minCount, Math.round(part * count))).fill(condition),
  )
  while (all.length < count) all.push(well)
  const order = all.map((condition, i) => ({ condition, at: share(seed, i) })).sort((a, b) => a.at - b.at)
  return order.map(({ condition }) => condition).slice(0, count)
}

const pick = <T>(list: readonly T[], chance: number): T => list[Math.floor(chance * list.length)] as T
