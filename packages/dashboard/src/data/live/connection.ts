/**
 * Reads the stream of live frames. The built-in reconnection of browsers gives up after some refusals and notices a
 * dead connection late. So this code reconnects forever, with growing pauses, and gives a connection up after 45 s
 * without a message. The service sends a `ping` every 20 s.
 */
import { addressFor } from '../api.ts'

/** The state of the stream of live frames. */
export type LiveState = 'connecting' | 'live' | 'lost'

interface Listener {
  /** Called each time the stream is connected. Data that was loaded before may miss a change. */
  open: () => void
  frame: (text: string) => void
  /** Called for a `ping`, which only shows that the service can be reached. */
  ping: () => void
  state: (state: LiveState) => void
  /** Called each time a connection is lost or an attempt fails. */
  lost: () => void
}

const silenceMs = 45_000
const reconnectPauses = [500, 1_000, 2_000, 5_000, 10_000]

/** Opens the stream of live frames of a workspace, and keeps it open until the returned function is called. */
export function openLive(slug: string, agent: string | undefined, listener: Listener): () => void {
  const url = addressFor('GET /w/:slug/events', { slug }, { agent })
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let closed = false

  const watch = () => {
    clearTimeout(timer)
    timer = setTimeout(lose, silenceMs)
  }
  const lose = () => {
    source?.close()
    clearTimeout(timer)
    if (closed) return
    listener.state('lost')
    listener.lost()
    const pause = reconnectPauses[Math.min(failures++, reconnectPauses.length - 1)] ?? 10_000
    timer = setTimeout(connect, pause * (0.7 + 0.6 * Math.random()))
  }
  const connect = () => {
    clearTimeout(timer)
    source?.close()
    source = new EventSource(url)
    source.addEventListener('open', () => {
      failures = 0
      watch()
      listener.state('live')
      listener.open()
    })
    source.addEventListener('frame', (event) => {
      watch()
      listener.frame(event.data)
    })
    source.addEventListener('ping', () => {
      watch()
      listener.ping()
    })
    source.addEventListener('error', lose)
    timer = setTimeout(lose, silenceMs)
  }
  const hurry = () => {
    if (source?.readyState !== EventSource.OPEN) connect()
  }
  window.addEventListener('online', hurry)
  connect()
  return () => {
    closed = true
    window.removeEventListener('online', hurry)
    clearTimeout(timer)
    source?.close()
  }
}
