/**
 * Closes the parts of the service one after another, within a time limit, even if a part hangs. A part that does not
 * end in its time is abandoned: everything that was answered is in committed transactions, so the process may end
 * anyway.
 */
import type { Logger } from 'pino'

/** A part of the service that has to be closed. */
export interface Closer {
  /** The name of the part in the log, such as `database`. */
  readonly name: string
  /** The maximum milliseconds for which the end of the part is awaited. */
  readonly limitMs: number
  readonly close: () => unknown
}

/** Closers that run at the same time. The next group begins when each of them has ended or used up its limit. */
type Group = readonly Closer[]

/** The maximum milliseconds from a signal to the end of the process (D53). */
export const stopMs = 10_000
/** The part of `stopMs` that remains for the end of the process itself. */
export const endMs = 500
/**
 * The stages in which the service is closed, in this order, and how long each may take in milliseconds. Requests get
 * most of the time. If everything answers, a stop takes a fraction of this time.
 */
export const closingStages = { callers: 8_000, reports: 600, pages: 400, database: 500 } as const

/** Collects the parts of the service that have to be closed, each in its stage. */
export function createClosers() {
  const all: (Closer & { stage: keyof typeof closingStages })[] = []
  return {
    add: (stage: keyof typeof closingStages, name: string, close: Closer['close']) =>
      void all.push({ stage, name, close, limitMs: closingStages[stage] }),
    groups: (): Group[] => Object.keys(closingStages).map((stage) => all.filter((closer) => closer.stage === stage)),
  }
}
export type Closers = ReturnType<typeof createClosers>

/**
 * Closes the groups one after another, and resolves with the names of the closers that did not end in time. Never
 * rejects: an error of a closer is logged. Waits at most `leftMs` milliseconds in all; remaining closers are then
 * called but not awaited.
 */
export async function closeAll(groups: readonly Group[], leftMs: number, log: Pick<Logger, 'warn'>): Promise<string[]> {
  const until = performance.now() + leftMs
  const unfinished: string[] = []
  for (const group of groups) {
    const ends = group.map(async ({ name, limitMs, close }) => {
      const limit = Math.max(0, Math.min(limitMs, until - performance.now()))
      if ((await endOf(name, close, limit, log)) === 'late') unfinished.push(name)
    })
    await Promise.all(ends)
  }
  return unfinished
}

/** Calls a closer. Resolves when it has ended, successfully or not, or with `late` after `limit` milliseconds. */
function endOf(
  name: string,
  close: Closer['close'],
  limit: number,
  log: Pick<Logger, 'warn'>,
): Promise<'over' | 'late'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('late'), limit)
    const over = () => {
      clearTimeout(timer)
      resolve('over')
    }
    const failed = (error: unknown) => {
      log.warn({ err: error, part: name }, 'a part of the service did not end cleanly')
      over()
    }
    try {
      Promise.resolve(close()).then(over, failed)
    } catch (error) {
      failed(error)
    }
  })
}
