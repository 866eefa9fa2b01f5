/**
 * The launcher: the main thread of `svc run`. It owns the agent's process and the signals; the runtime proper, which reports and takes
 * commands, runs in a worker thread and can end, hang or be replaced without the agent noticing. The caller holds the folder's lock.
 */
import type { Folder } from '../files/folder.ts'
import { host } from './host.ts'
import { supervise, takeOver } from './supervisor.ts'

/** How long the last report may take at the end. */
const farewellSeconds = 3

/**
 * Runs until `stop` is aborted; then the agent is ended and the runtime after it. `kill` when it is asked twice: at once. `ended` gives why nothing
 * could be started, if so: only at the beginning, never for an agent that runs already.
 */
export function launch(
  folder: Folder,
  { file, stop, say }: { file: string; stop: AbortSignal; say: (line: string) => void },
): { kill(): void; readonly ended: Promise<string | undefined> } {
  const found = takeOver(folder)
  let state = found.state
  const hosted = host(file, folder.root, () => state, {
    say,
    heard: (message) => {
      if (message.is === 'say') say(message.line)
      if (message.is === 'look') supervisor.look()
      if (message.is === 'unfit') refuse(message.why)
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
  const over = new AbortController()
  let unfit: string | undefined
  function refuse(why: string): void {
    if ('pid' in state) say(why)
    else {
      unfit = why
      over.abort()
    }
  }
  const ended = new Promise<string | undefined>((resolve, reject) => {
    const end = () =>
      supervisor
        .stop()
        .then(() => hosted.stop(farewellSeconds))
        .then(() => resolve(unfit), reject)
    const asked = AbortSignal.any([stop, over.signal])
    if (asked.aborted) void end()
    else asked.addEventListener('abort', () => void end(), { once: true })
  })
  return { kill: () => supervisor.kill(), ended }
}
