/**
 * A process that reports as the whole simulated fleet: `main.ts FILE`, where FILE is JSON in the form of `FleetFile`.
 * It prints a line when each agent that reports at all has done so. From then on, the agents that report more than once
 * report at the interval that the service asks for, and obey commands, until the process is ended.
 */
import { readFileSync } from 'node:fs'
import { membersOf } from './members.ts'
import { SimulatedAgent, startReporting } from './reporting.ts'

/** The place of the service, and the tokens of the agents in the order of `membersOf`. */
export interface FleetFile {
  readonly port: number
  readonly seed: number
  readonly tokens: readonly string[]
}

const [file = ''] = process.argv.slice(2)
const { port, seed, tokens }: FleetFile = JSON.parse(readFileSync(file, 'utf8'))
const agents = membersOf(tokens.length, seed).map((member, i) => new SimulatedAgent(member, tokens[i] ?? '', port))
const { signal } = new AbortController() // the agents report until this process is ended
await startReporting(agents, (done) => console.log(`${done} agents have reported`), signal)
console.log('all agents have reported')
