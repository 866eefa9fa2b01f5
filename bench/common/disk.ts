/**
 * Measures how slow the disk is while a measurement of the service runs, so that slow answers can be explained: a disk
 * that other programs keep busy makes every server slow.
 */
import { open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { valueAt } from './times.ts'

const everyMs = 50
const page = Buffer.alloc(4096, 1)

export interface Disk {
  /**
   * Stops writing to the disk, and returns the 99th percentile of the time that syncing one page took, in milliseconds.
   */
  stop(): Promise<number>
}

/**
 * Writes and syncs one page twenty times a second until it is stopped. The page is in a separate file in the folder of
 * `file`.
 */
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
      return valueAt(times, 0.99)
    },
  }
}
