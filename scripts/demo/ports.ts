/**
 * Chooses the ports of the demo's programs. Another program, such as a second demo, may take a port after the port was
 * found free and before a program of the demo listens on it.
 */
import { createServer } from 'node:net'
import { EndedEarly } from './processes.ts'

const maxAttempts = 5

/**
 * Calls `start` with the usual port, or with any free port if another program uses that one. If the started program
 * ends because its port was taken in the meantime, `start` is called again with another port.
 */
export async function onFreePort<T>(usual: number, start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const port = (attempt === 1 ? await listenablePort(usual) : undefined) ?? (await listenablePort(0)) ?? 0
    try {
      return await start(port)
    } catch (error) {
      const isTaken = error instanceof EndedEarly && (await listenablePort(port)) === undefined
      if (!isTaken || attempt === maxAttempts) throw error
    }
  }
}

/** Returns the port, or a free one for port 0, if a program can listen on it; otherwise undefined. */
export function listenablePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}
