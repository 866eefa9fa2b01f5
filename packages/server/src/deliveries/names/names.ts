/**
 * Looks up the names of receivers, of the mail server and of the heartbeat. A look-up has a deadline that ends it.
 * After a look-up of a name failed, further look-ups of the name fail at once for up to a minute, unless a person waits
 * for the answer.
 */
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { messageOf } from '../../platform/errors.ts'
import { createNameHelper, type LookUpOptions, type NameHelper } from './helper.ts'

/**
 * The milliseconds that a look-up may take. Two name servers that do not answer take ten seconds until the system asks
 * a third one.
 */
const lookUpMs = 12_000
/** The milliseconds until a name that failed is looked up again: doubled with each failure, up to the maximum. */
const [firstRestMs, maxRestMs] = [4000, 60_000]
/** The maximum number of failed names that are remembered. Beyond it, the name with the oldest failure is forgotten. */
const maxFailed = 10_000

/** Looks names up, and remembers the names that failed. */
export interface NameLookups {
  /**
   * Returns the look-up function for one connection; `signal` aborts the look-up. With `isFresh`, even a name that has
   * just failed is looked up, because a person waits for the answer.
   */
  lookupFor(signal: AbortSignal, isFresh?: boolean): LookupFunction
}

interface LookupFailure {
  message: string
  /** The number of failures in a row. */
  times: number
  until: number
}

export function createNameLookups({
  helper = createNameHelper(),
  withinMs = lookUpMs,
  mono = () => performance.now(),
}: {
  helper?: NameHelper
  withinMs?: number
  mono?: () => number
} = {}): NameLookups {
  const failed = new Map<string, LookupFailure>()
  return {
    lookupFor:
      (signal, isFresh = false) =>
      (name, options, then) => {
        const { family, hints } = options
        const wanted = { family: typeof family === 'string' ? Number(family.slice(-1)) : family, hints }
        lookUp(name, wanted, signal, isFresh).then(
          (found) => {
            if (options.all) then(null, found)
            else then(null, found[0]?.address ?? '', found[0]?.family)
          },
          (error) => then(error as NodeJS.ErrnoException, ''),
        )
      },
  }

  async function lookUp(
    name: string,
    options: LookUpOptions,
    signal: AbortSignal,
    isFresh: boolean,
  ): Promise<LookupAddress[]> {
    const family = isIP(name)
    if (family !== 0) return [{ address: name, family }]
    const known = failed.get(name)
    if (known && mono() < known.until && !isFresh) {
      const seconds = Math.ceil((known.until - mono()) / 1000)
      throw new Error(`${known.message} It is looked up again in ${seconds} s.`)
    }
    try {
      const found = await helper.lookUp(name, options, AbortSignal.any([signal, AbortSignal.timeout(withinMs)]))
      if (found.length === 0) throw new Error('it has no address')
      failed.delete(name)
      return found
    } catch (error) {
      throw noteFailed(name, error, (known?.times ?? 0) + 1)
    }
  }

  function noteFailed(name: string, error: unknown, times: number): Error {
    const isLate = error instanceof DOMException
    const why = isLate ? `its name servers did not answer in time` : messageOf(error)
    const message = `The name ${name} could not be looked up: ${why}.`
    const restMs = Math.min(firstRestMs * 2 ** (times - 1), maxRestMs)
    failed.delete(name)
    failed.set(name, { message, times, until: mono() + restMs })
    for (const first of failed.keys()) {
      if (failed.size <= maxFailed) break
      failed.delete(first)
    }
    return new Error(message, { cause: error })
  }
}

const sharedNames = createNameLookups()

/** Returns the look-up function for the connection of one try; `signal` aborts the look-up. */
export const lookupOf = (
  { names = sharedNames, isAwaited }: { names?: NameLookups | undefined; isAwaited?: boolean | undefined },
  signal: AbortSignal,
): LookupFunction => names.lookupFor(signal, isAwaited)
