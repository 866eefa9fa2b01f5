/**
 * The launcher: the main thread of `svc run`. It owns the agent's process and the signals; the runtime proper, which reports and takes
 * commands, runs in a worker thread and can end, hang or be replaced without the agent noticing. The caller holds the folder's lock.
 */
import type { Folder } from '../files/folder.ts'
import { host } from './host.ts'
import { supervise, takeOver } from './supervisor.ts'

/** How long the last report may take at the end. */
const farewellSeconds = 3

/** Runs until `stop` is aborted; then the agent is ended and the runtime after it. `kill` when it is asked twice: at once. */
export function launch(
  folder: Folder,
  { file, stop, say }: { file: string; stop: AbortSignal; say: (line: string) => void },
): { kill(): void; readonly ended: Promise<void> } {
  const found = takeOver(folder)
  let state = found.state
  const hosted = host(file, folder.root, () => state, {
    say,
    heard: (message) => {
      if (message.is === 'say') say(message.line)
      if (message.is === 'look') supervisor.look()
    },
  })
  const supervisor = supervise(folder, found, {
    order: () => hosted.order(),
    changed: (now) => {
      state = now
      hosted.tell({ is: 'process', state })
    },
    say,
  })
  const ended = new Promise<void>((resolve, reject) => {
    const end = () =>
      supervisor
        .stop()
        .then(() => hosted.stop(farewellSeconds))
        .then(resolve, reject)
    if (stop.aborted) void end()
    else stop.addEventListener('abort', () => void end(), { once: true })
  })
  return { kill: () => supervisor.kill(), ended }
}
