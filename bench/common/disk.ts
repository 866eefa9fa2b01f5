/** How long the disk itself takes meanwhile: where it stands still for others on the host, every server does. */
import { open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const everyMs = 50
const page = Buffer.alloc(4096, 1)

export interface Disk {
  /** The 99th percentile of what the sync of one page took, in milliseconds. */
  stop(): Promise<number>
}

/** Writes and syncs a page of a file of its own beside `file`, twenty times a second, until it is stopped. */
export async function watchDisk(file: string): Promise<Disk> {
  const own = join(dirname(file), 'disk-probe')
  const handle = await open(own, 'w')
  await handle.write(page, 0, page.length, 0)
  await handle.sync()
  const times: number[] = []
  let ended = false
  const running = (async () => {
    while (!ended) {
      const from = performance.now()
      await handle.write(page, 0, page.length, 0)
      await handle.datasync()
      times.push(performance.now() - from)
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  })()
  return {
    async stop() {
      ended = true
      await running
      await handle.close()
      await rm(own)
      times.sort((a, b) => a - b)
      return times[Math.floor(times.length * 0.99)] ?? Number.NaN
    },
  }
}
