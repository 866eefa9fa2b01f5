/** Reads a page's stream of frames as the browser's EventSource would. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { LiveFrame } from '@svc/api'
import { onTestFinished } from 'vitest'
import { within } from '../../../../testing/within.ts'

export interface Stream {
  /** Resolves with the next frame for which `fits` is true; frames before it are skipped. */
  frame(fits?: (frame: LiveFrame) => boolean): Promise<LiveFrame>
  text(): string
  ended: Promise<void>
  close(): void
}

/**
 * Opens a stream of frames and resolves once the service has accepted it. With `reads` false the client reads no frames
 * from the socket.
 */
export async function streamOf(url: string, cookie: string, { reads = true } = {}): Promise<Stream> {
  const frames: LiveFrame[] = []
  let waiting: (() => void)[] = []
  let text = ''
  let req: ClientRequest | undefined
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    req = request(url, { headers: { cookie, accept: 'text/event-stream' }, agent: false }, resolve)
    req.on('error', reject)
    req.end()
  })
  if (res.statusCode !== 200) throw new Error(`The stream was refused with ${res.statusCode}.`)
  const ended = new Promise<void>((resolve) => res.on('close', resolve))
  res.on('error', () => {})
  if (reads) {
    let rest = ''
    res.setEncoding('utf8')
    res.on('data', (chunk: string) => {
      text += chunk
      const events = (rest + chunk).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        const data = /^event: frame\ndata: (.*)$/.exec(event)?.[1]
        if (data !== undefined) frames.push(JSON.parse(data) as LiveFrame)
      }
      for (const wake of waiting.splice(0)) wake()
    })
  } else res.pause()
  const close = () => {
    req?.destroy()
  }
  onTestFinished(close)
  const missing = () => `a frame that fits, on ${url}. The end of what came:\n${text.slice(-1000)}`
  return {
    text: () => text,
    ended,
    close,
    async frame(fits = () => true) {
      for (;;) {
        const frame = frames.shift()
        if (frame && fits(frame)) return frame
        if (!frame) await within(missing, new Promise<void>((resolve) => (waiting = [...waiting, resolve])), 40)
      }
    },
  }
}
