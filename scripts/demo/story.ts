/**
 * Gives the demo something to look at, as people would: tags and views, an action for many agents, a rollout that is in
 * its second wave, and one that has halted. An agent of the demo gets a version that does not start.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DemoSetup, demoAgents, type Operator, svcCommand } from './agents.ts'
import { type Member, membersOf } from './fleet/members.ts'
import { seed } from './fleet/start.ts'
import { badVersion, fleetBlueprint, goesBack, goodVersion, hasBlueprint } from './fleet/updates.ts'
import { fleetViews } from './fleet/views.ts'
import type { Processes } from './processes.ts'

const lookMs = 2000
/** The time that the first wave of a rollout may take. */
const waveSeconds = 240

export interface PlannedRollout {
  readonly version: string
  readonly agents: readonly string[]
  readonly waves: string
}

/**
 * The rollouts for a fleet of these members: one that goes well, with three waves, and one that halts in its first
 * wave. None if the fleet is too small.
 */
export function plannedRollouts(members: readonly Member[]): PlannedRollout[] {
  const well = members
    .filter((member) => !member.condition.state && !member.condition.reports && !member.condition.isPaused)
    .filter((member) => hasBlueprint(member) && !goesBack(member, goodVersion))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const failing = well.find((member) => goesBack(member, badVersion))
  const others = well.filter((member) => member !== failing)
  const good = others.slice(0, 8).map(({ name }) => name)
  // A wave takes agents in the order of their names. All names in `bad` come after that of `failing`, so that `failing`
  // is in the first wave.
  const bad = others.slice(8).filter(({ name }) => failing && name > failing.name)
  if (failing === undefined || good.length < 8 || bad.length < 3) return []
  return [
    { version: goodVersion, agents: good, waves: '2,5,all' },
    { version: badVersion, agents: [failing.name, ...bad.slice(0, 7).map(({ name }) => name)], waves: '2,all' },
  ]
}

/** The tags of the agents that are installed for real. */
const tags: Readonly<Record<string, string>> = {
  'machine-watch': 'eu,prod,team:platform',
  'git-reader': 'eu,staging,team:platform',
  'link-checker': 'eu,prod,team:support',
  'coder-simulated': 'us,staging,team:sales',
}

/** The other people of the workspace, and one who is invited. */
const others = [
  { email: 'mara@example.org', name: 'Mara Lind', role: 'admin' },
  { email: 'tomas@example.org', name: 'Tomás Okafor', role: 'member' },
] as const
const invited = 'jun@example.org'

type Tools = { readonly processes: Processes; readonly operator: Operator }

/** Makes everything that the opening comment lists. All agents must have reported before. */
export async function tellStory(setup: DemoSetup, count: number, tools: Tools): Promise<void> {
  const { workspace } = setup
  const ask = <T>(...args: string[]) => tools.operator<T>(setup, args)
  for (const [name, given] of Object.entries(tags)) await ask('agent', 'tag', `${workspace}/${name}`, '--add', given)
  for (const { name, filter } of fleetViews) await ask('view', 'set', workspace, name, '--filter', filter)
  const started: { id: string; planned: PlannedRollout }[] = []
  for (const planned of plannedRollouts(membersOf(count, seed))) {
    const what = `${fleetBlueprint}@${planned.version}`
    const how = ['--agents', planned.agents.join(','), '--waves', planned.waves]
    const { rollout } = await ask<{ rollout: { id: string } }>('rollout', 'start', workspace, what, ...how)
    started.push({ id: rollout.id, planned })
  }
  if (count > 0) await ask('action', 'send', workspace, 'run_now', '--filter', 'tag:team:support is:online')
  for (const { email, name, role } of others) {
    const args = ['person', 'create', email, '--name', name, '--workspace', workspace, '--role', role]
    // Nobody needs to know these passwords.
    await tools.operator(setup, args, `${crypto.randomUUID()}\n`)
  }
  await ask('member', 'invite', workspace, invited)
  await sendBrokenVersion(setup, tools)
  const good = started.find(({ planned }) => planned.version === goodVersion)
  if (good) await beginSecondWave(good.id, ask, tools.processes.ending)
}

/** Waits until the first wave has gone well, and starts the second one at once, without the pause between waves. */
async function beginSecondWave(
  id: string,
  ask: <T>(...args: string[]) => Promise<T>,
  ending: AbortSignal,
): Promise<void> {
  for (const until = performance.now() + waveSeconds * 1000; performance.now() < until; ) {
    const { state, nextAt, wave } = await ask<{ state: string; nextAt: number | null; wave: number }>(
      'rollout',
      'show',
      id,
    )
    if (state !== 'running' || wave > 1) return
    if (nextAt !== null) {
      await ask('rollout', 'continue', id)
      return
    }
    await sleep(lookMs, undefined, { signal: ending })
  }
}

const broken = { name: 'coder-simulated', version: '1.1.0' }

/** Uploads a version of an agent that ends with an error when it starts, and requests it. The agent rolls back. */
async function sendBrokenVersion(setup: DemoSetup, { processes, operator }: Tools): Promise<void> {
  const { folder, root, env, workspace } = setup
  const source = demoAgents(setup).find(({ name }) => name === broken.name)?.source ?? ''
  const copy = join(folder, 'bundles', broken.name)
  cpSync(source, copy, { recursive: true })
  const manifest = join(copy, 'svc.agent.yaml')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/^version: .*$/m, `version: ${broken.version}`))
  writeFileSync(join(copy, 'main.mts'), brokenProgram)
  const bundle = `${copy}.zip`
  await processes.run({ command: [...svcCommand(root), 'pack', copy, '--out', bundle], cwd: folder, env })
  await operator(setup, ['blueprint', 'upload', workspace, bundle])
  await operator(setup, ['wish', 'blueprint', `${workspace}/${broken.name}`, broken.version])
}

const brokenProgram = `console.log('coder-simulated 1.1.0 starts')
console.error('The setting "model_limits" is missing. This version of the demo always fails.')
process.exit(1)
`
