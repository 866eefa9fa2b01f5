/** Adds the simulated fleet to the demo: makes its agents before the service starts, and starts their reports after. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import type { ManyAgents } from '../../../packages/server/testing/many-agents.ts'
import type { DemoSetup } from '../agents.ts'
import { countInWords, maxFleet } from '../options.ts'
import type { Processes } from '../processes.ts'
import type { FleetFile } from './main.ts'
import { membersOf } from './members.ts'
import { pastOf, pastVersions } from './past.ts'
import { fleetBlueprint, fleetVersions, hasBlueprint } from './updates.ts'

/** The seed of the demo's fleet. */
export const seed = 1
/** The number of agents after which the progress is printed. */
const progressEvery = 1000
const pauseAfter = 100
const reportSeconds = 300
/** The limit of agents in the workspace. The fleet alone may reach the usual limit, so this one is larger. */
const agentLimit = 2 * maxFleet

/**
 * Makes a workspace with this many simulated agents, and returns their tokens. The agents are made in one transaction
 * while no service runs: one command for each would take a minute for 5,000.
 */
export async function makeFleet(
  place: Pick<ManyAgents, 'env' | 'cwd' | 'workspace'>,
  count: number,
  { ending, tell }: { ending: AbortSignal; tell: (text: string) => void },
): Promise<string[]> {
  tell(`Adding simulated agents (${countInWords(count)}) …`)
  const { makeManyAgents } = await import('../../../packages/server/testing/many-agents.ts')
  const now = Date.now()
  const members = membersOf(count, seed)
  const agents = members.map((member) => ({
    ...member,
    ...(hasBlueprint(member) && { installed: member.version }),
    past: pastOf(member, now),
  }))
  const blueprint = { name: fleetBlueprint, versions: fleetVersions, past: pastVersions(members, now) }
  return await makeManyAgents({ ...place, agents, blueprint, limit: agentLimit }, async (made) => {
    if (made % progressEvery === 0 && made < count) tell(`  ${countInWords(made)} of ${countInWords(count)}`)
    if (made % pauseAfter !== 0) return
    await immediate() // SQLite blocks this process, which would otherwise not notice Ctrl-C
    ending.throwIfAborted()
  })
}

/** Starts the process that reports for the fleet, and waits until each agent that reports at all has done so. */
export async function startFleet(
  { url, folder, env }: DemoSetup,
  tokens: readonly string[],
  { processes, tell }: { processes: Processes; tell: (text: string) => void },
): Promise<void> {
  tell('Waiting for the first reports of the simulated agents …')
  const file = join(folder, 'fleet.json')
  const content: FleetFile = { port: Number(new URL(url).port), seed, tokens }
  writeFileSync(file, JSON.stringify(content), { mode: 0o600 })
  const command = [process.execPath, join(import.meta.dirname, 'main.ts'), file] as const
  await processes.start('fleet', { command: [...command], cwd: folder, env })
  for (let count = progressEvery; ; count += progressEvery) {
    const sentence = new RegExp(`^(${count}|all) agents have reported$`, 'm')
    const [, heard] = await processes.hears('fleet', sentence, reportSeconds)
    if (heard === 'all') return
    tell(`  ${countInWords(count)} of ${countInWords(tokens.length)}`)
  }
}
