/**
 * The function through which the service makes all calls to receivers, mail servers, the heartbeat and the sign-in
 * provider. A separate timer ends each call at its deadline, because a library may never settle its promise.
 */
import { certificateWords, foreignLine } from '@svc/protocol'
import { messageOf } from '../platform/errors.ts'
import { minuteText } from '../platform/limits/units.ts'
import type { NameLookups } from './names/names.ts'

/** The milliseconds that one try may take. */
export const tryMs = 15_000
/** The maximum length of the message of an error. */
const maxReason = 300
/** The milliseconds after the deadline in which a call may still return what has arrived so far. */
const graceMs = 500

type AttemptResult<T> =
  | { is: 'done'; value: T }
  | { is: 'failed'; error: unknown }
  /** The call did not end within its time. */
  | { is: 'late' }
  /** The service stops, which says nothing about the receiver. */
  | { is: 'stopped' }

export interface AttemptLimits {
  /** Aborted when the service stops. */
  stop?: AbortSignal | undefined
  /** The milliseconds that the call may take. */
  withinMs?: number | undefined
  /** True if a person waits for the result. */
  isAwaited?: boolean | undefined
  /** The look-ups of names to use; by default those of this process. */
  names?: NameLookups | undefined
}

/**
 * Makes one call to another system. At its deadline, and when the service stops, the signal that `call` gets is
 * aborted; at most half a second later the attempt is over, whatever `call` does. Never rejects.
 */
export function attemptCall<T>(
  call: (signal: AbortSignal) => Promise<T>,
  { stop, withinMs = tryMs }: AttemptLimits = {},
): Promise<AttemptResult<T>> {
  return new Promise((resolve) => {
    const giving = new AbortController()
    let grace: NodeJS.Timeout | undefined
    const settle = (attempted: AttemptResult<T>) => {
      clearTimeout(deadline)
      clearTimeout(grace)
      stop?.removeEventListener('abort', onStop)
      resolve(attempted)
      giving.abort()
    }
    const giveUp = (attempted: AttemptResult<T>) => {
      grace ??= setTimeout(() => settle(attempted), graceMs)
      giving.abort()
    }
    const deadline = setTimeout(() => giveUp({ is: 'late' }), withinMs)
    const onStop = () => giveUp({ is: 'stopped' })
    if (stop?.aborted) return settle({ is: 'stopped' })
    stop?.addEventListener('abort', onStop)
    Promise.resolve(giving.signal)
      .then(call)
      .then(
        (value) => settle({ is: 'done', value }),
        (error) => settle(endOf(error, { stopped: stop?.aborted === true, late: giving.signal.aborted })),
      )
  })
}

/** The result of a call that failed. After the signal was aborted, the error says nothing about the receiver. */
const endOf = (error: unknown, { stopped, late }: { stopped: boolean; late: boolean }): AttemptResult<never> =>
  stopped ? { is: 'stopped' } : late ? { is: 'late' } : { is: 'failed', error }

/**
 * The message of an error of a call, in one clean line. If all addresses of a host name fail, Node throws one error
 * without a message that contains the error of each address; the first of these is then used.
 */
export function errorWords(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] ?? error) : error
  const ofCertificate = certificateWords(first, {
    clock: () => minuteText(Date.now()),
    remedy: () => 'name the file of a private authority in NODE_EXTRA_CA_CERTS where the service starts',
  })
  return foreignLine(ofCertificate ?? messageOf(first), maxReason) || 'The connection failed.'
}
