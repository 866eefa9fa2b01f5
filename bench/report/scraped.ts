/** A service that records the turns of its event loop, and whose `/metrics/fleet` is read every few seconds. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../testing/free-port.ts'
import type { ServiceOptions } from '../common/service.ts'
import { notingTurns, recordingsFolder } from '../common/turns.ts'

let started = 0

/** Starts a service with `start`. A service of another checkout is not scraped, so that it shows the difference. */
export async function scraped<S extends { stop(): Promise<void> }>(
  everySeconds: number,
  options: ServiceOptions,
  start: (options: ServiceOptions) => Promise<S>,
): Promise<S & { turns: string }> {
  const turns = join(recordingsFolder, `svc-bench-scraped-${process.pid}-${started++}`)
  const port = await freePort()
  const fleet = options.checkout === undefined ? { SVC_METRICS_FLEET: 'on', SVC_METRICS_PORT: String(port) } : {}
  const server = await start({ ...options, env: { ...options.env, ...notingTurns(turns), ...fleet } })
  const timer =
    options.checkout === undefined ? setInterval(() => void scrape(port), everySeconds * 1000).unref() : undefined
  return {
    ...server,
    turns,
    stop: async () => {
      clearInterval(timer)
      await server.stop()
      rmSync(turns, { force: true })
    },
  }
}

async function scrape(port: number): Promise<void> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics/fleet`)
    const { length } = await answer.text()
    console.error(`  /metrics/fleet: ${answer.status}, ${(length / 1e6).toFixed(1)} MB`)
  } catch (error) {
    console.error('  /metrics/fleet was not read', error)
  }
}
