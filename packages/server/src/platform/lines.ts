/**
 * Writes the lines of the log to a file descriptor, and never throws: the disk may be full, and the reader of a pipe
 * may be slow or gone. Lines that a full pipe does not accept wait in memory; lines that fail are counted and dropped.
 */
import { writeSync } from 'node:fs'
import { isCode } from './errors.ts'

/** The lines of a log on their way to a file descriptor. */
export interface OutputLines {
  write(line: string): void
  /** Writes the waiting lines, as far as that is possible now. Returns true if the next line can be written at once. */
  flush(): boolean
  /** The number of lines that could not be written since the start. */
  readonly lost: number
}

interface LinesNeeds {
  /** Writes bytes and returns how many were accepted, or throws a system error such as ENOSPC or EAGAIN. */
  put: (bytes: Uint8Array) => number
  /** Makes the line that says how many lines were lost. `code` is that of the last error. */
  notice: (lost: number, code: string) => string
  /** Calls a function after some milliseconds; tests replace it. */
  later?: (work: () => void, ms: number) => void
}

/** The maximum bytes of lines that wait for a slow reader. */
const maxWaiting = 1024 * 1024
const retryMs = 50
/** The milliseconds between two tries to write the notice about lost lines, when no further line is written. */
const noticeMs = 2_000

const workLater = (work: () => void, ms: number) => void setTimeout(work, ms).unref()

export const linesTo = (needs: LinesNeeds): OutputLines => new WaitingLines(needs)

class WaitingLines implements OutputLines {
  readonly #put: LinesNeeds['put']
  readonly #notice: LinesNeeds['notice']
  readonly #later: NonNullable<LinesNeeds['later']>
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #lost = 0
  /** The number of lines that were lost since the last notice. */
  #unsaid = 0
  #code = ''
  /** True if the last line was written only in part. */
  #torn = false
  #planned = false

  constructor({ put, notice, later = workLater }: LinesNeeds) {
    this.#put = put
    this.#notice = notice
    this.#later = later
  }

  get lost(): number {
    return this.#lost
  }

  write(line: string): void {
    try {
      if (this.flush()) this.#hold(this.#send(Buffer.from(line)))
      else if (this.#waiting.length > 0 && this.#waitingBytes + line.length <= maxWaiting) this.#hold(Buffer.from(line))
      else this.#lose(this.#code || 'EAGAIN')
    } catch (error) {
      this.#lose(codeOf(error))
    }
    this.#plan()
  }

  flush(): boolean {
    for (let line = this.#waiting.shift(); line; line = this.#waiting.shift()) {
      this.#waitingBytes -= line.length
      try {
        const rest = this.#send(line)
        if (rest.length === 0) continue
        this.#waiting.unshift(rest)
        this.#waitingBytes += rest.length
        return false
      } catch (error) {
        this.#lose(codeOf(error))
      }
    }
    return this.#unsaid === 0 || this.#saysLost()
  }

  /** Writes one line. Returns the part of it that has to wait; empty if the whole line was written. */
  #send(line: Buffer): Buffer {
    let rest = line
    try {
      while (rest.length > 0) rest = rest.subarray(this.#put(rest))
      this.#torn = false
    } catch (error) {
      this.#torn ||= rest.length < line.length
      if (isCode(error, 'EAGAIN')) return rest
      throw error
    }
    return rest
  }

  #hold(rest: Buffer): void {
    if (rest.length === 0) return
    this.#waiting.push(rest)
    this.#waitingBytes += rest.length
  }

  #lose(code: string): void {
    this.#lost++
    this.#unsaid++
    this.#code = code
  }

  /** Writes the notice about lost lines. Returns true if the next line can be written. */
  #saysLost(): boolean {
    try {
      // A line that was cut off is ended first, so that the notice is a line by itself.
      this.#hold(this.#send(Buffer.from(`${this.#torn ? '\n' : ''}${this.#notice(this.#unsaid, this.#code)}`)))
      this.#unsaid = 0
    } catch {
      return false
    }
    return this.#waiting.length === 0
  }

  #plan(): void {
    if (this.#planned || (this.#waiting.length === 0 && this.#unsaid === 0)) return
    this.#planned = true
    const again = () => {
      this.#planned = false
      this.flush()
      this.#plan()
    }
    this.#later(again, this.#waiting.length > 0 ? retryMs : noticeMs)
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown')

/** A function that writes to a file descriptor of this process, for `linesTo`. */
export const writerTo = (fd: number) => (bytes: Uint8Array) => writeSync(fd, bytes)
