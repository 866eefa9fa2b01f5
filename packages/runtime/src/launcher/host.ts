/**
 * Runs the runtime proper in a worker thread, from the file on disk, and starts it again when it ends unasked or hangs. Decides nothing
 * (hosting.ts); the keeper says which file it is, each time. The agent is not touched by any of it.
 */
import type { Stop } from '@svc/protocol'
import { duration, wait } from '../time.ts'
import type { RuntimeNote } from '../versions/runtime-note.ts'
import { contract, type FromWorker, type ToWorker } from './contract.ts'
import { type HostingAct, type HostingEvent, none, step } from './hosting.ts'
import type { ProcessState } from './moves.ts'
import type { OrderAnswer } from './supervision.ts'
import { startThread, type Thread } from './thread.ts'

export interface Host {
  tell(message: ToWorker): void
  /** `silent` when the worker does not answer in time. */
  order(): Promise<OrderAnswer>
  /** Lets the worker end by itself for so long and starts the one that is next now. */
  replace(seconds: number): void
  /** Lets it end by itself for so long, then ends it. False when one of those that ran is in a system call still. */
  stop(seconds: number, by: Stop | undefined): Promise<boolean>
}
interface HostFacts {
  readonly root: string
  readonly process: () => ProcessState
  readonly runtime: () => RuntimeNote
}
interface HostListener {
  /** The file to start a worker from; asked before each start. */
  readonly next: () => string
  readonly heard: (message: FromWorker) => void
  /** It ended unasked: how long until the next start, in seconds; undefined: the usual, longer each time. */
  readonly ended: (how: string) => number | undefined
  /** It hangs or never said anything. */
  readonly hung: (how: string) => void
  readonly say: (line: string) => void
}

const rules = () => ({ unanswered: 6, silent: 12, lasted: duration(60) })

export function host({ root, process, runtime }: HostFacts, { next, heard, ended, hung, say }: HostListener): Host {
  let now = none
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
      const start = { svc: 'runtime', contract, file: next(), root, process: process(), runtime: runtime() } as const
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
      say(`the runtime ended and starts again in ${pause} s; the agent is not touched`)
      void wait(duration(pause), over.signal).then((whole) => whole && on({ is: 'begin' }))
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

/** One that does not go is left behind, and whatever it still says is not heard. */
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

/** However short a drill makes time: a hang is seen before the trial's five minutes are over. */
const pulseMs = () => Math.max(duration(5), 500)

/** Questions about the start of the agent, which whichever worker is there answers. */
function questions(tell: (message: ToWorker) => void) {
  const asking = new Map<number, (answer: OrderAnswer) => void>()
  let ids = 0
  const ask = (): Promise<OrderAnswer> =>
    new Promise((resolve) => {
      const id = ++ids
      const timer = setTimeout(() => done('silent'), Math.max(duration(5), 2000))
      const done = (answer: OrderAnswer) => {
        clearTimeout(timer)
        asking.delete(id)
        resolve(answer)
      }
      asking.set(id, done)
      tell({ is: 'order?', id })
    })
  return { ask, answer: (id: number, answer: OrderAnswer) => asking.get(id)?.(answer), open: () => asking.keys() }
}
