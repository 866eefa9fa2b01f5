/**
 * Looks names up in a separate process. The system's look-up blocks a thread until the system gives up, and nothing in
 * this process can end it; a process can be ended. The look-up is the system's, so the hosts file, search domains and
 * services such as mDNS apply as they do to every other program of the machine.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { type LookupAddress, lookup } from 'node:dns'
import type { Socket } from 'node:net'

/** The options of a look-up that are passed to the system. */
export interface LookUpOptions {
  family?: number | undefined
  hints?: number | undefined
}

interface Question {
  id: number
  name: string
  options: LookUpOptions
  /** The number of times that this look-up was started. If it had no answer `maxAsked` times, it fails. */
  asked: number
  /** The process that was asked; undefined while this process itself looks the name up. */
  at?: AskedProcess | undefined
  answer(found: LookupAddress[] | Error): void
}

interface AskedProcess {
  child: ChildProcess
  pending: Map<number, Question>
  /** True once the process has answered, so that its later end does not count as a failed start. */
  works: boolean
}

/** Looks names up in a separate process. */
export interface NameHelper {
  /**
   * Looks a name up. When the signal is aborted, the look-up rejects, and the process that still waits for it is
   * replaced.
   */
  lookUp(name: string, options: LookUpOptions, signal: AbortSignal): Promise<LookupAddress[]>
}

/** Starts the process with this number of threads. Tests replace it. */
export type StartHelperProcess = (threads: number) => ChildProcess

/**
 * The number of threads of the process. Node uses at most half of them for look-ups, and a thread that waits costs a
 * few KB. If a process does not start, the next one gets half as many, down to the minimum, because systems limit
 * threads.
 */
const [maxThreads, minThreads] = [336, 4]
/** The milliseconds without a look-up after which the process ends. */
const idleMs = 20_000
const maxAsked = 10

class HelperProcess implements NameHelper {
  readonly #start: StartHelperProcess
  #current: AskedProcess | undefined
  #threads = maxThreads
  #mayStart = true
  #ids = 0
  #idle: NodeJS.Timeout | undefined

  constructor(start: StartHelperProcess) {
    this.#start = start
  }

  lookUp(name: string, options: LookUpOptions, signal: AbortSignal): Promise<LookupAddress[]> {
    const { promise, resolve, reject } = Promise.withResolvers<LookupAddress[]>()
    const answer = (found: LookupAddress[] | Error) => (found instanceof Error ? reject(found) : resolve(found))
    const question: Question = { id: this.#ids++, name, options, asked: 0, answer }
    const giveUp = () => {
      reject(signal.reason)
      question.at?.pending.delete(question.id)
      this.#retire(question.at)
    }
    if (signal.aborted) reject(signal.reason)
    else {
      signal.addEventListener('abort', giveUp, { once: true })
      this.#ask(question)
    }
    return promise.finally(() => signal.removeEventListener('abort', giveUp))
  }

  #ask(question: Question): void {
    question.asked++
    if (this.#mayStart) this.#current ??= this.#begin()
    const asked = this.#current
    question.at = asked
    if (!asked) {
      lookUpHere(question)
      return
    }
    const { id, name, options } = question
    asked.pending.set(id, question)
    asked.child.stdin?.write(`${JSON.stringify({ id, name, options })}\n`)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#retire(this.#current), idleMs).unref()
  }

  #begin(): AskedProcess {
    const asked: AskedProcess = { child: this.#start(this.#threads), pending: new Map(), works: false }
    const onEnd = () => this.#ended(asked)
    asked.child.once('error', onEnd).once('close', onEnd)
    asked.child.stdin?.on('error', () => {})
    let rest = ''
    asked.child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) takeAnswer(asked, line)
      this.#endIfOver(asked)
    })
    return asked
  }

  /** Gives a process no further look-ups, and ends the process as soon as none of its look-ups is pending. */
  #retire(asked: AskedProcess | undefined): void {
    if (this.#current === asked) this.#current = undefined
    if (asked) this.#endIfOver(asked)
  }

  #endIfOver(asked: AskedProcess): void {
    if (asked !== this.#current && asked.pending.size === 0) asked.child.kill('SIGKILL')
  }

  /** Repeats the look-ups that a process had not answered when it ended. */
  #ended(asked: AskedProcess): void {
    if (this.#current === asked) this.#current = undefined
    const left = [...asked.pending.values()]
    asked.pending.clear()
    if (!asked.works && left.length > 0) {
      this.#mayStart = this.#threads > minThreads
      this.#threads = Math.max(minThreads, Math.floor(this.#threads / 2))
    }
    for (const question of left)
      if (question.asked < maxAsked) this.#ask(question)
      else question.answer(new Error('the look-up ended'))
  }
}

export const createNameHelper = (start: StartHelperProcess = startHelper): NameHelper => new HelperProcess(start)

function takeAnswer(asked: AskedProcess, line: string): void {
  const { id, found, error } = JSON.parse(line) as { id: number; found: LookupAddress[]; error?: object }
  asked.works = true
  asked.pending.get(id)?.answer(error ? Object.assign(new Error(), error) : found)
  asked.pending.delete(id)
}

/**
 * Looks a name up in this process, because no helper process can be started. Blocking a thread is better than sending
 * no message.
 */
function lookUpHere({ name, options, answer }: Question): void {
  lookup(name, { ...systemOptions(options), all: true }, (error, found) => answer(error ?? found))
}

const systemOptions = ({ family, hints }: LookUpOptions) => ({
  ...(family !== undefined && { family }),
  ...(hints !== undefined && { hints }),
})

/**
 * The program of the process. It is a text and not a file, so that it matches this process even after the files were
 * updated. When its input ends, the program exits at once, because a normal exit would wait for the threads.
 */
const program = `
const { lookup } = require('node:dns')
const write = (answer) => process.stdout.write(JSON.stringify(answer) + '\\n')
let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (piece) => {
  const lines = (rest + piece).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, name, options } = JSON.parse(line)
    lookup(name, { ...options, all: true }, (error, found) =>
      write(error ? { id, error: { code: error.code, message: error.message } } : { id, found }))
  }
})
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'))
`

/** Starts the process that looks names up. */
export function startHelper(threads: number): ChildProcess {
  const child = spawn(process.execPath, ['--input-type=commonjs', '-e', program], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...systemVariables(), UV_THREADPOOL_SIZE: String(threads) },
  })
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) (pipe as Socket | null)?.unref()
  return child
}

/**
 * The variables of this process without those that Node and svc read. The system's look-up reads some of the others.
 */
const systemVariables = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NODE_|SVC_)/.test(name)))
