/**
 * Measures what `svc-exec` adds to a job: the CPU time of a run of `true` compared with a start of Node that does
 * nothing, and the memory of fifty runs at once.
 *
 *   npm run bench -- exec [--rounds 15] [--at-once 50]
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Account, newAccount } from '../packages/runtime/testing/jobs.ts'
import { minNodeHere } from '../packages/runtime/testing/releases.ts'
import { fixed, table } from './common/table.ts'
import { median } from './common/times.ts'
import { cpuSecondsOfChildren } from './common/usage.ts'

/** A command that waits, and a program for Node that starts it and waits. */
const waiting = ['sh', '-c', 'echo; exec cat']
const bareWait = `require('child_process').spawn('sh', ['-c', 'echo; exec cat'], { stdio: 'inherit' })`

/** The largest CPU time of a run, as a multiple of that of `node -e 0`. */
const maxRatio = 2.7
/** The largest memory of a run among many at once, in MB: its share of what they have in common included. */
const maxMegabytes = 10
/** The number of runs in a round. The ticks in which /proc counts CPU time are too long to measure a single run. */
const runsPerRound = 5

export async function benchExec(args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '15' }, 'at-once': { type: 'string', default: '50' } },
  })
  const [rounds, atOnce] = [Number(values.rounds), Number(values['at-once'])]
  const nodes = [...new Set([process.execPath, minNodeHere ?? process.execPath])]
  const rows: (readonly (string | number)[])[] = []
  for (const node of nodes) {
    const account = await newAccount(node)
    try {
      rows.push(await measure(node, account, rounds, atOnce))
    } finally {
      account.remove()
    }
  }
  return [
    `${rounds} rounds of ${runsPerRound} runs each, in turns; medians, and the range of the ratios. Then ${atOnce} runs at once, each with its share of the memory that they have in common (PSS), and as many processes of Node that only start a command and wait for it.`,
    table(['Node', 'node -e 0, CPU ms', 'svc-exec, CPU ms', 'ratio', 'from, to', 'MB each', 'Node alone, MB'], rows),
    `A run may take ${maxRatio} × the CPU time of \`node -e 0\`, and ${maxMegabytes} MB.`,
  ].join('\n\n')
}

async function measure(node: string, account: Account, rounds: number, atOnce: number) {
  const bare: number[] = []
  const run: number[] = []
  const start = [account.svcExec, 'bench', '--every', '1d', '--', 'true']
  const env = clean(account)
  // The first start reads files from the disk.
  for (const command of [[node, '-e', '0'], start]) await cpuOf(command, env)
  for (let round = 0; round < rounds; round++) {
    bare.push(await cpuOf([node, '-e', '0'], env))
    run.push(await cpuOf(start, env))
  }
  const ratios = run.map((each, at) => each / (bare[at] ?? Number.NaN))
  const memory = await memoryOf(account, atOnce, (n) => [account.svcExec, `at-once-${n}`, '--', ...waiting])
  const bareMemory = await memoryOf(account, atOnce, () => [node, '-e', bareWait])
  const ratio = median(ratios)
  return [
    `${(await versionOf(node)).trim()}`,
    fixed(median(bare)),
    fixed(median(run)),
    `${fixed(ratio, 2)}${ratio > maxRatio ? ' (ABOVE)' : ''}`,
    `${fixed(Math.min(...ratios), 2)} to ${fixed(Math.max(...ratios), 2)}`,
    `${fixed(memory)}${memory > maxMegabytes ? ' (ABOVE)' : ''}`,
    fixed(bareMemory),
  ]
}

type Env = Readonly<Record<string, string>>
/** An environment without settings of Node: further certificates, for example, make its start several times as long. */
const clean = ({ home }: Account): Env => ({ HOME: home, PATH: process.env.PATH ?? '' })

/** The CPU time of a command and all that it starts, in milliseconds. */
async function cpuOf([file = '', ...args]: readonly string[], env: Env): Promise<number> {
  const before = cpuSecondsOfChildren()
  for (let n = 0; n < runsPerRound; n++) await once(spawn(file, args, { stdio: 'ignore', env }), 'exit')
  return ((cpuSecondsOfChildren() - before) * 1000) / runsPerRound
}

/** The mean memory in MB of `atOnce` processes that run at the same time, while all wait for their commands. */
async function memoryOf(account: Account, atOnce: number, start: (n: number) => readonly string[]): Promise<number> {
  const children = Array.from({ length: atOnce }, (_, n): ChildProcess => {
    const [file = '', ...args] = start(n)
    return spawn(file, args, { env: clean(account), stdio: ['pipe', 'pipe', 'ignore'] })
  })
  await Promise.all(children.flatMap(({ stdout }) => (stdout ? [once(stdout, 'data')] : [])))
  await sleep(1000) // Meanwhile the runs write their records.
  // The memory of the commands does not count, since they are no part of svc.
  const memory = children.map(({ pid = 0 }) => treeOf(pid).reduce((sum, each) => sum + pssOf(each), 0))
  for (const { stdin } of children) stdin?.end()
  await Promise.all(children.map((child) => once(child, 'exit')))
  return memory.reduce((sum, each) => sum + each, 0) / memory.length
}

/** A process and those that it has started, without the command that waits. */
function treeOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  const isCommand = (child: number) => readFileSync(`/proc/${child}/comm`, 'utf8').trim() === 'cat'
  return [pid, ...children.filter((child) => !isCommand(child)).flatMap(treeOf)]
}

const pssOf = (pid: number): number =>
  Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024

async function versionOf(node: string): Promise<string> {
  const child = spawn(node, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [data] = await once(child.stdout, 'data')
  return String(data)
}
