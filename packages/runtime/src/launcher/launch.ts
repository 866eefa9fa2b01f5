/**
 * The launcher: the main thread of `svc run`. It owns the agent's process and the signals. The worker, which
 * reports and handles commands, runs in a worker thread and can end, hang or be replaced without affecting the agent.
 * The caller holds the folder's lock.
 */
import type { StoppedBy } from '@svc/protocol'
import { scaledMs } from '../machine/base/time.ts'
import type { Folder } from '../machine/files/folder.ts'
import type { FromWorker, ToWorker } from './contract.ts'
import { hostWorker, type WorkerHost } from './host.ts'
import { type Keeper, keepRuntime } from './keeper.ts'
import { supervise } from './supervisor.ts'
import { takeOverProcess } from './take-over.ts'

/** The seconds that the last report may take when the runtime is stopped. */
const farewellSeconds = 3
/**
 * The seconds that a replaced runtime may take to finish its current report. The answer to that report may carry
 * commands, and a command is delivered only once.
 */
const handoverSeconds = 3

/**
 * Runs until `stop` is aborted, then ends the agent and after it the worker; `kill` kills the agent at once. If the
 * agent does not run and cannot be started, the launcher ends by itself, and `ended` resolves to the reason. `left` is
 * true after the end if a worker thread could not be ended.
 */
export function launch(
  folder: Folder,
  {
    file,
    stop,
    by,
    say,
  }: { file: string; stop: AbortSignal; by: () => StoppedBy | undefined; say: (line: string) => void },
): { kill(): void; left(): boolean; readonly ended: Promise<string | undefined> } {
  const found = takeOverProcess(folder)
  let state = found.state
  let hosted: WorkerHost | undefined
  const keeper = keepRuntime(folder, { program: file, say, changed: (note) => hosted?.tell({ is: 'runtime', note }) })
  const replace = () => hosted?.replace(handoverSeconds)
  const heard = (message: FromWorker): void =>
    hear(message, keeper, {
      say,
      check: () => supervisor.check(),
      replace,
      refuse,
      tell: (answer) => hosted?.tell(answer),
    })
  hosted = hostWorker(
    { root: folder.root, process: () => state, runtime: () => keeper.note() },
    { next: keeper.next, ended: keeper.ended, hung: keeper.hung, heard, say },
  )
  const checks = setInterval(() => keeper.check() && replace(), Math.min(scaledMs(1), 1000))

  let startable = false
  const supervisor = supervise(folder, found, {
    order: async () => {
      const order = await hosted?.order()
      startable ||= typeof order === 'object'
      return order
    },
    changed: (now) => {
      state = now
      hosted?.tell({ is: 'process', state })
    },
    say,
  })
  const over = new AbortController()
  let unfit: string | undefined
  let left = false
  function refuse(why: string): void {
    if ('pid' in state || startable) say(why)
    else {
      unfit = why
      over.abort()
    }
  }
  const ended = new Promise<string | undefined>((resolve, reject) => {
    const end = () =>
      supervisor
        .stop()
        .then(() => hosted?.stop(farewellSeconds, by()))
        .then((all) => {
          left = all === false
          clearInterval(checks)
          keeper.stopped()
        })
        .then(() => resolve(unfit), reject)
    const asked = AbortSignal.any([stop, over.signal])
    if (asked.aborted) void end()
    else asked.addEventListener('abort', () => void end(), { once: true })
  })
  return { kill: () => supervisor.kill(), left: () => left, ended }
}

interface LaunchListener {
  readonly say: (line: string) => void
  readonly check: () => void
  /** Ends the current worker and starts the next one. */
  readonly replace: () => void
  /**
   * Ends the launcher, because nothing can be started in this folder. If the agent already runs, or a worker has said
   * how to start it, the reason is only logged: the manifest may be invalid only for now.
   */
  readonly refuse: (why: string) => void
  readonly tell: (message: ToWorker) => void
}

/** Handles a message from the worker. An unknown message is ignored. */
function hear(message: FromWorker, keeper: Keeper, { say, check, replace, refuse, tell }: LaunchListener): void {
  const { is } = message
  if (is === 'say') say(message.line)
  if (is === 'look') check()
  if (is === 'reported' && message.ok) keeper.good()
  if (is === 'attempted') keeper.attempted(message)
  if (is === 'lifted') keeper.lifted()
  if (is === 'swap') {
    const why = keeper.swap(message)
    if (why === undefined) replace()
    else tell({ is: 'unswapped', why })
  }
  if (is === 'unfit') {
    if (keeper.note().trial)
      say(message.why) // a runtime on trial must not end the launcher, so its message is only logged
    else refuse(message.why)
  }
}
