/** The stream of events to an open page: how it starts, what is written to it, and when it is given up. */
import type { ServerResponse } from 'node:http'

/** The maximum number of unsent bytes in the stream of a page. A page with more is disconnected. */
const maxBehind = 512 * 1024

/** How well a page keeps up with reading its stream, judged at each ping. */
export type PageReading = 'keeps up' | 'is behind' | 'reads nothing'

/**
 * Judges at a ping how well a page keeps up with its stream. `unsent` is the number of bytes that wait to be sent; a
 * page with any is behind. A page that is behind at two pings in a row gets `reads nothing`: the hub disconnects it.
 */
export function judgePageReading(was: PageReading, unsent: number): PageReading {
  if (unsent === 0) return 'keeps up'
  return was === 'keeps up' ? 'is behind' : 'reads nothing'
}

export function openStream(res: ServerResponse): void {
  // The response is sent without chunked encoding: the stream ends with its connection anyway, and so each frame is one
  // write to the socket.
  res.removeHeader('transfer-encoding')
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
  res.write('retry: 2000\n\n')
}

/** The bytes of one event, as the stream carries it. */
export const eventBytes = (name: 'frame' | 'ping', data: string): Buffer =>
  Buffer.from(`event: ${name}\ndata: ${data}\n\n`)

/**
 * Writes to the stream of a page. A page that is too far behind is disconnected; it then reconnects by itself and loads
 * everything once.
 */
export function writeOrDisconnect(res: ServerResponse, bytes: Buffer): void {
  if (res.destroyed || res.writableEnded) return
  res.write(bytes)
  if (res.writableLength > maxBehind) res.destroy()
}
