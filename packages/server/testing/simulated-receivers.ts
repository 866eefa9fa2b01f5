/**
 * Receivers of messages with a simulated clock: each try takes as long as the test says, and no time passes in truth.
 * The database and the dispatcher are the real ones.
 */
import { setImmediate } from 'node:timers/promises'
import { vi } from 'vitest'
import type { TryResult } from '../src/deliveries/outbox.ts'
import type { DeliverySource } from '../src/deliveries/source.ts'
import { testStart } from './test-workspace.ts'

/** The way in which a receiver acts: the milliseconds until it answers, and its answer. */
export type ReceiverAct = readonly [ms: number, answer: TryResult]

interface Sending {
  until: number
  end: () => void
}

const second = 1000

/** `actOf` says what the receiver with this address does. */
export function simulatedReceivers(actOf: (to: string) => ReceiverAct) {
  // The monotonic clock is simulated, too, because the dispatcher measures durations with it.
  vi.useFakeTimers({ toFake: ['performance'] })
  let now = testStart
  let running = 0
  let changed = Promise.withResolvers<void>()
  const sending = new Set<Sending>()
  /** The simulated times at which receivers accepted a message. */
  const accepted = new Map<string, number>()
  const change = () => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  /** Counts a call as running until it ends. */
  const counted = async <T>(call: Promise<T>): Promise<T> => {
    running++
    return call.finally(() => {
      running--
      change()
    })
  }
  /** Waits until every running call waits for a receiver. */
  const quiet = async () => {
    for (let isQuiet = false; !isQuiet; ) {
      while (running > sending.size) await changed.promise
      await setImmediate()
      isQuiet = running === sending.size
    }
  }
  const passUntil = (at: number) => {
    vi.advanceTimersByTime(at - now)
    now = at
    for (const one of [...sending]) if (one.until <= now) one.end()
  }
  return {
    accepted,
    now: () => now,
    send: (to: string, { stop }: { stop?: AbortSignal | undefined } = {}): Promise<TryResult> =>
      new Promise((resolve) => {
        const [ms, answer] = actOf(to)
        const end = (result: TryResult) => {
          if (!sending.delete(one)) return
          if (result.is === 'status' && result.status < 300) accepted.set(to, now)
          resolve(result)
        }
        const one = { until: now + ms, end: () => end(answer) }
        sending.add(one)
        stop?.addEventListener('abort', () => end({ is: 'stopped' }))
        change()
      }),
    /** Wraps a source of deliveries, so that the simulation counts its running calls. */
    watched: (source: DeliverySource): DeliverySource => ({
      due: (at) => counted(source.due(at)),
      serve: (work, stop) => counted(source.serve(work, stop)),
    }),
    /** Lets this many seconds pass. The dispatcher checks once a second, and whenever a receiver has answered. */
    async play(seconds: number, dispatch: () => Promise<void>): Promise<void> {
      for (const end = now + seconds * second; now < end; ) {
        const done = dispatch()
        await quiet()
        passUntil(Math.min(now + second, ...[...sending].map(({ until }) => until)))
        await quiet()
        // A check that waits for a receiver ends later, so it is not awaited here.
        if (sending.size === 0) await done
      }
    },
  }
}
