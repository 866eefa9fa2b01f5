/**
 * Runs the worker in a thread, and starts it again if it ends unexpectedly or hangs. hosting.ts makes the decisions,
 * and keeper.ts names the file for each start. The agent's process is not affected by these restarts.
 */
import { Worker } from 'node:worker_threads'
import type { StoppedBy } from '@svc/protocol'
import { messageOf } from '../machine/base/errors.ts'
import { scaledMs, wait } from '../machine/base/time.ts'
import type { ProcessState } from '../state/process-note.ts'
import type { RuntimeNote } from '../state/versions/runtime-note.ts'
import { contractVersion, type FromWorker, type ToWorker, type WorkerStart } from './contract.ts'
import { type HostingAct, type HostingEvent, noWorker, step } from './hosting.ts'
import type { StartOrderAnswer } from './supervision.ts'

/** The part of the launcher that runs the worker. */
export interface WorkerHost {
  tell(message: ToWorker): void
  /** Asks the worker how the agent must be started; `silent` if the worker does not answer in time. */
  order(): Promise<StartOrderAnswer>
  /** Gives the current worker this many seconds to end by itself, ends it, and then starts the next worker. */
  replace(seconds: number): void
  /**
   * Gives the worker this many seconds to end by itself, and then ends it. Resolves to false if this worker or an
   * earlier one could not be ended, because it is in a system call.
   */
  stop(seconds: number, by: StoppedBy | undefined): Promise<boolean>
}
interface HostFacts {
  readonly root: string
  readonly process: () => ProcessState
  readonly runtime: () => RuntimeNote
}
interface HostListener {
  /** Returns the file from which the next worker is started. It is called before each start. */
  readonly next: () => string
  readonly heard: (message: FromWorker) => void
  /**
   * Called when a worker ended unexpectedly. Returns the seconds until the next start, or undefined for the usual
   * pause, which grows with each failure.
   */
  readonly ended: (how: string) => number | undefined
  /** Called when a worker is ended because it hung or never sent a message. */
  readonly hung: (how: string) => void
  readonly say: (line: string) => void
}

const rules = () => ({ unanswered: 6, silent: 12, lasted: scaledMs(60) })

export function hostWorker(
  { root, process, runtime }: HostFacts,
  { next, heard, ended, hung, say }: HostListener,
): WorkerHost {
  let now = noWorker
  const threads = new Map<number, Thread>()
  const { ask, answer, open } = questions((message) => tell(message))
  const over = new AbortController()
  let stopped: ((all: boolean) => void) | undefined
  function on(event: HostingEvent): void {
    const { state, acts } = step(now, event, rules(), performance.now())
    now = state
    for (const act of acts) perform[act.do](act as never)
  }
  const tell = (message: ToWorker): void => now.worker && threads.get(now.worker.id)?.post(message)
  const perform: { readonly [K in HostingAct['do']]: (act: Extract<HostingAct, { do: K }>) => void } = {
    start: ({ id }) => {
      const start = {
        svc: 'runtime',
        contract: contractVersion,
        file: next(),
        root,
        process: process(),
        runtime: runtime(),
      } as const
      const thread = startThread(start, {
        message: (message) => on({ is: 'message', id, message }),
        error: (why) => on({ is: 'error', id, why }),
        exit: (code) => {
          threads.delete(id)
          on({ is: 'exit', id, code })
        },
      })
      threads.set(id, thread)
      for (const question of open()) thread.post({ is: 'order?', id: question })
    },
    say: ({ line }) => say(line),
    hear: ({ message }) => heard(message),
    answer: ({ question, order }) => answer(question, order),
    again: ({ how, seconds }) => {
      const pause = ended(how) ?? seconds
      say(`the runtime ended and restarts in ${pause} s; the agent is not affected`)
      void wait(scaledMs(pause), over.signal).then((whole) => whole && on({ is: 'begin' }))
    },
    hung: ({ how }) => hung(how),
    ping: () => tell({ is: 'ping' }),
    'pulse later': () => void setTimeout(() => on({ is: 'pulse' }), pulseMs()).unref(),
    end: (act) => void end(threads.get(act.id), act, on).then(() => on({ is: 'ended', follows: act.follows })),
    stopped: () => stopped?.(now.left.length === 0),
  }

  on({ is: 'begin' })
  perform['pulse later']({ do: 'pulse later' })
  return {
    tell,
    order: ask,
    replace: (seconds) => on({ is: 'replace', seconds }),
    stop: (seconds, by) =>
      new Promise((resolve) => {
        stopped = resolve
        over.abort()
        on({ is: 'stop', seconds, by })
      }),
  }
}

/** Ends a worker. A worker that cannot be ended stays alive, and the launcher ignores its messages. */
async function end(
  thread: Thread | undefined,
  { id, seconds, by }: Extract<HostingAct, { do: 'end' }>,
  on: (event: HostingEvent) => void,
): Promise<void> {
  if (!thread) return
  if (seconds > 0 && (await thread.leave(seconds, by))) return
  on({ is: 'late', id })
  if (!(await thread.terminate())) on({ is: 'left', id })
}

/** The time between two pings in milliseconds: 5,000, or at least 500 if SVC_TIME_SCALE shortens durations. */
const pulseMs = () => Math.max(scaledMs(5), 500)

/**
 * Asks the current worker how the agent must be started. Questions have numbers, so that each answer reaches the caller
 * who asked.
 */
function questions(tell: (message: ToWorker) => void) {
  const asking = new Map<number, (answer: StartOrderAnswer) => void>()
  let ids = 0
  const ask = (): Promise<StartOrderAnswer> =>
    new Promise((resolve) => {
      const id = ++ids
      const timer = setTimeout(() => done('silent'), Math.max(scaledMs(5), 2000))
      const done = (answer: StartOrderAnswer) => {
        clearTimeout(timer)
        asking.delete(id)
        resolve(answer)
      }
      asking.set(id, done)
      tell({ is: 'order?', id })
    })
  return { ask, answer: (id: number, answer: StartOrderAnswer) => asking.get(id)?.(answer), open: () => asking.keys() }
}

interface Thread {
  post(message: ToWorker): void
  /** Gives the worker this many seconds to end by itself. Resolves to false if it did not. */
  leave(seconds: number, by: StoppedBy | undefined): Promise<boolean>
  /** Ends the worker. Resolves to false if it is still in a system call. */
  terminate(): Promise<boolean>
}
interface ThreadListener {
  readonly message: (message: FromWorker) => void
  readonly error: (why: string) => void
  readonly exit: (code: number) => void
}

/**
 * The code that a worker starts with. It loads a built file with `require`, which works whatever a package.json in a
 * parent folder says, and a source file with `import`.
 */
const loaderProgram = `const { workerData: { file } } = require('node:worker_threads')
file.endsWith('.ts') ? import(require('node:url').pathToFileURL(file).href) : require(file)`

/** The limits of the worker's heap. The young generation is small, because V8 would not give back a larger one. */
const heapLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 1 }

/** The seconds after which a worker that does not end, because it is in a system call, is left running. */
const endSeconds = 5

function startThread(start: WorkerStart, { message, error, exit }: ThreadListener): Thread {
  const worker = new Worker(loaderProgram, {
    eval: true,
    workerData: start,
    execArgv: [],
    argv: [],
    resourceLimits: heapLimits,
  })
  const over = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.on('message', message)
  worker.on('error', (why: unknown) => error(messageOf(why)))
  worker.once('exit', exit)
  const post = (message: ToWorker): void => worker.postMessage(message)
  return {
    post,
    leave: (seconds, by) => {
      post({ is: 'stop', ...(by && { by }) })
      return within(scaledMs(seconds), over)
    },
    terminate: () => within(Math.max(scaledMs(endSeconds), 500), worker.terminate()),
  }
}

/** Resolves to true if the promise is fulfilled within this many milliseconds, and otherwise to false. */
const within = (ms: number, what: Promise<unknown>): Promise<boolean> =>
  Promise.race([what.then(() => true), wait(ms, new AbortController().signal).then(() => false)])
