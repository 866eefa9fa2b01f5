/** A page's stream of events: how it begins, what is written to it, and when it is given up. */
import type { ServerResponse } from 'node:http'

/** Bytes that a page may be behind. */
const maxBehind = 512 * 1024

/** How a page takes what it is sent, as each ping finds it. */
export type PageReading = 'keeps up' | 'is behind' | 'reads nothing'

/** `unsent`: bytes that wait. A page that is behind at two pings in a row has nobody reading at the other end. */
export function atPing(was: PageReading, unsent: number): PageReading {
  if (unsent === 0) return 'keeps up'
  return was === 'keeps up' ? 'is behind' : 'reads nothing'
}

export function openStream(res: ServerResponse): void {
  // Not in chunks: the stream ends with its connection anyway, and a frame is one write to the socket.
  res.removeHeader('transfer-encoding')
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
  res.write('retry: 2000\n\n')
}

export const eventBytes = (name: 'frame' | 'ping', data: string): Buffer =>
  Buffer.from(`event: ${name}\ndata: ${data}\n\n`)

/** Ends a page that does not drain: it comes back by itself and asks for everything once. */
export function write(res: ServerResponse, bytes: Buffer): void {
  if (res.destroyed || res.writableEnded) return
  res.write(bytes)
  if (res.writableLength > maxBehind) res.destroy()
}
