/**
 * Simulates open pages as the service sees them. Each simulated page receives frames of the fleet, and requests its
 * part of the agent list again when a frame says so.
 */
import { Agent, type ClientRequest, get, type IncomingMessage, request } from 'node:http'
import { workspace } from '../common/service.ts'

/**
 * The maximum number of streams that one person may have open. It determines how many people are needed for all pages.
 */
export const perPerson = 40
/**
 * The minimum number of milliseconds between two requests of one page for the agent list, as in the dashboard's
 * `useLive`.
 */
const againEvery = 3000
/**
 * The milliseconds before a page reconnects after its stream has ended, as in data/live/connection.ts of the dashboard.
 */
const backAfter = 500

/** The counts of everything that all simulated pages together have received since they were opened. */
export interface ReceivedCounts {
  frames: number
  frameBytes: number
  lists: number
  listBytes: number
  /** The number of the pages' streams that ended, for any reason. */
  ended: number
}

export interface OpenPages {
  seen(): ReceivedCounts
  close(): void
}

/** Opens pages that show the list, or the part of it that the filter `q` selects. */
export function openPages({ port }: { port: number }, cookies: string[], n: number, q = ''): OpenPages {
  const counts: ReceivedCounts = { frames: 0, frameBytes: 0, lists: 0, listBytes: 0, ended: 0 }
  const streams = new Set<ClientRequest>()
  const agent = new Agent({ keepAlive: true })
  let over = false
  for (let i = 0; i < n; i++) open({ host: `localhost:${port}`, cookie: cookies[Math.floor(i / perPerson)] ?? '' })
  return {
    seen: () => ({ ...counts }),
    close() {
      over = true
      agent.destroy()
      for (const stream of streams) stream.destroy()
    },
  }

  function open(headers: Record<string, string>): void {
    const stream = request({ port, host: '127.0.0.1', path: `/api/web/w/${workspace}/events`, headers, agent: false })
    const askAgain = throttle(() => askForList(headers))
    streams.add(stream)
    stream.on('response', (res) => {
      if (res.statusCode !== 200) throw new Error(`A stream was answered ${res.statusCode}.`)
      res.on('data', (chunk: Buffer) => {
        counts.frameBytes += chunk.length
        if (!chunk.includes('event: frame')) return
        counts.frames++
        if (chunk.includes('"more":true')) askAgain()
      })
      res.on('error', () => {})
    })
    stream.on('error', () => {})
    stream.on('close', () => {
      streams.delete(stream)
      if (over) return
      counts.ended++
      setTimeout(() => over || open(headers), backAfter)
    })
    stream.end()
  }

  function askForList(headers: Record<string, string>): void {
    if (over) return
    const path = `/api/web/w/${workspace}/fleet?limit=200&${new URLSearchParams({ q })}`
    const asked = get({ port, host: '127.0.0.1', path, headers, agent }, (res: IncomingMessage) => {
      if (res.statusCode !== 200) throw new Error(`The list was answered ${res.statusCode}.`)
      counts.lists++
      res.on('data', (chunk: Buffer) => {
        counts.listBytes += chunk.length
      })
    })
    asked.on('error', (error) => {
      if (!over) throw error
    })
  }
}

/**
 * Returns a function that limits how often `act` runs. The first call makes `act` run three seconds later; calls in
 * these three seconds have no effect.
 */
function throttle(act: () => void): () => void {
  let waiting = false
  return () => {
    if (waiting) return
    waiting = true
    setTimeout(() => {
      waiting = false
      act()
    }, againEvery)
  }
}
