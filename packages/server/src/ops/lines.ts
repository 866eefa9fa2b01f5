/**
 * Writes the lines of the log to a file descriptor, and never throws: the disk may be full, and the reader of a pipe
 * may be slow or gone. Lines that a full pipe does not accept wait in memory; lines that fail are counted and dropped.
 */
import { writeSync } from 'node:fs'
import { isCode } from '../errors.ts'

export interface Lines {
  write(line: string): void
  /** Writes the waiting lines if that is possible now. Returns true if none waits any longer. */
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
/** How often the notice about lost lines is tried when no further line is written. */
const noticeMs = 2_000

const unref = (work: () => void, ms: number) => void setTimeout(work, ms).unref()

export function linesTo({ put, notice, later = unref }: LinesNeeds): Lines {
  const waiting: Buffer[] = []
  let waitingBytes = 0
  let lost = 0
  /** The lines that were lost since the last notice. */
  let unsaid = 0
  let code = ''
  let torn = false
  let planned = false

  /** Writes one line. Returns the rest of it that has to wait; empty if the line was written. */
  function send(line: Buffer): Buffer {
    let rest = line
    try {
      while (rest.length > 0) rest = rest.subarray(put(rest))
      torn = false
    } catch (error) {
      torn ||= rest.length < line.length
      if (isCode(error, 'EAGAIN')) return rest
      throw error
    }
    return rest
  }

  function hold(rest: Buffer): void {
    if (rest.length === 0) return
    waiting.push(rest)
    waitingBytes += rest.length
  }

  function lose(error: unknown): void {
    lost++
    unsaid++
    code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  }

  /** Writes what waits, and then the notice if lines were lost. Returns true if the next line can be written. */
  function flush(): boolean {
    for (let line = waiting.shift(); line; line = waiting.shift()) {
      waitingBytes -= line.length
      try {
        const rest = send(line)
        if (rest.length === 0) continue
        waiting.unshift(rest)
        waitingBytes += rest.length
        return false
      } catch (error) {
        lose(error)
      }
    }
    return unsaid === 0 || saysLost()
  }

  function saysLost(): boolean {
    try {
      // A line that was cut off is ended first, so that the notice is a line by itself.
      hold(send(Buffer.from(`${torn ? '\n' : ''}${notice(unsaid, code)}`)))
      unsaid = 0
    } catch {
      return false
    }
    return waiting.length === 0
  }

  function plan(): void {
    if (planned || (waiting.length === 0 && unsaid === 0)) return
    planned = true
    later(
      () => {
        planned = false
        flush()
        plan()
      },
      waiting.length > 0 ? retryMs : noticeMs,
    )
  }

  function write(line: string): void {
    try {
      if (flush()) hold(send(Buffer.from(line)))
      else if (waiting.length > 0 && waitingBytes + line.length <= maxWaiting) hold(Buffer.from(line))
      else lose(Object.assign(new Error('No line is accepted.'), { code: code || 'EAGAIN' }))
    } catch (error) {
      lose(error)
    }
    plan()
  }

  return {
    write,
    flush,
    get lost() {
      return lost
    },
  }
}

/** A function that writes to a file descriptor of this process, for `linesTo`. */
export const putTo = (fd: number) => (bytes: Uint8Array) => writeSync(fd, bytes)
