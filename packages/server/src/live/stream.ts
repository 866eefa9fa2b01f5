/** A page's stream of events: how it starts, what is written to it, and when it is given up. */
import type { ServerResponse } from 'node:http'

/** The maximum bytes that a page may be behind. */
const maxBehind = 512 * 1024

/** How well a page reads its stream, judged at each ping. */
export type PageReading = 'keeps up' | 'is behind' | 'reads nothing'

/**
 * `unsent` is the number of bytes that wait. If a page is behind at two pings in a row, nobody reads at the other end.
 */
export function atPing(was: PageReading, unsent: number): PageReading {
  if (unsent === 0) return 'keeps up'
  return was === 'keeps up' ? 'is behind' : 'reads nothing'
}

export function openStream(res: ServerResponse): void {
  // Without chunks: the stream ends with its connection anyway, and a frame is one write to the socket.
  res.removeHeader('transfer-encoding')
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
  res.write('retry: 2000\n\n')
}

export const eventBytes = (name: 'frame' | 'ping', data: string): Buffer =>
  Buffer.from(`event: ${name}\ndata: ${data}\n\n`)

/** Writes to a page, and disconnects it if it is too far behind: it reconnects by itself and loads everything once. */
export function write(res: ServerResponse, bytes: Buffer): void {
  if (res.destroyed || res.writableEnded) return
  res.write(bytes)
  if (res.writableLength > maxBehind) res.destroy()
}
