/**
 * Runs the load generators of a fleet as separate processes, so that their CPU time is not counted as that of the
 * service.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { killAtExit } from '../../testing/at-exit.ts'
import { cpuSeconds } from '../common/usage.ts'
import { type Counts, sum } from './counts.ts'
import type { Fleet } from './generator.ts'

export interface Load {
  /** Returns what the generators counted since the last call of this function. */
  take(): Promise<Counts>
  /** Sets the seconds between two reports of an agent. This applies from the agent's next report on. */
  every(seconds: number): void
  /** The CPU time that the generators have used, in seconds. */
  cpu(): number
  stop(): Promise<void>
}

export interface LoadOptions {
  port: number
  agents: number
  /** The number of connections that stay open. 0 means a new connection for each report. */
  connections: number
  /** The seconds between two reports of an agent. */
  interval: number
  /** The number of generators that share the agents. */
  processes?: number
}

export async function startLoad({ port, agents, connections, interval, processes = 1 }: LoadOptions): Promise<Load> {
  const children = Array.from({ length: processes }, () =>
    killAtExit(fork(join(import.meta.dirname, 'generator.ts'), { serialization: 'advanced' })),
  )
  const end = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  for (const [i, child] of children.entries()) {
    const [from, to] = [i, i + 1].map((n) => Math.floor((agents * n) / processes)) as [number, number]
    const start: Fleet = {
      port,
      first: from,
      agents: to - from,
      connections: Math.ceil(connections / processes),
      interval,
    }
    child.send({ start })
  }
  return {
    take: async () => sum(await Promise.all(children.map(takeFrom))),
    every(seconds) {
      for (const child of children) child.send({ interval: seconds })
    },
    cpu: () => children.reduce((total, { pid }) => total + cpuSeconds(pid ?? 0), 0),
    async stop() {
      const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      const exited = running.map((child) => once(child, 'exit'))
      end()
      await Promise.all(exited)
    },
  }
}

async function takeFrom(child: ChildProcess): Promise<Counts> {
  const answer = once(child, 'message') as Promise<[{ counts: Counts }]>
  child.send({ take: true })
  const [{ counts }] = await answer
  return counts
}

export interface Window {
  counts: Counts
  seconds: number
  /** The CPU time of the server in seconds. */
  cpu: number
  /** The CPU time of the generators in seconds. */
  load: number
}

/** Measures what the generators count, and the CPU time of the server, for this many seconds or during some work. */
export async function window(load: Load, pid: number, during: number | (() => Promise<unknown>)): Promise<Window> {
  await load.take()
  const [cpu, own, from] = [cpuSeconds(pid), load.cpu(), performance.now()]
  await (typeof during === 'number' ? sleep(during * 1000) : during())
  const counts = await load.take()
  return {
    counts,
    seconds: (performance.now() - from) / 1000,
    cpu: cpuSeconds(pid) - cpu,
    load: load.cpu() - own,
  }
}
