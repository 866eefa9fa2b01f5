import { expect, test } from 'vitest'
import { attemptCall, errorWords } from './attempt.ts'

const never = () => new Promise<never>(() => {})
const fails = async () => {
  throw new Error('no route')
}

test('a call that ends in time has its result', async () => {
  expect(await attemptCall(async () => 7)).toEqual({ is: 'done', value: 7 })
  expect(await attemptCall(fails)).toMatchObject({ is: 'failed', error: { message: 'no route' } })
})

test('a call that throws at once fails like any other', async () => {
  const throws = () => {
    throw new Error('no such library')
  }
  expect(await attemptCall(throws)).toMatchObject({ is: 'failed', error: { message: 'no such library' } })
})

test('a call whose promise is never settled ends at its deadline', async () => {
  expect(await attemptCall(never, { withinMs: 20 })).toEqual({ is: 'late' })
})

test('at the deadline the call gets a signal, and may still return what has arrived', async () => {
  const partly = (signal: AbortSignal) =>
    new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('half')))
  expect(await attemptCall(partly, { withinMs: 20 })).toEqual({ is: 'done', value: 'half' })
})

test('an error that the abort causes is not the answer of the other side', async () => {
  const aborted = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  expect(await attemptCall(aborted, { withinMs: 20 })).toEqual({ is: 'late' })
})

test('the stop of the service ends every call, also one that ignores its signal', async () => {
  const stopping = new AbortController()
  const calls = [never, fails].map((call) => attemptCall(call, { stop: stopping.signal }))
  const hanging = calls[0]
  stopping.abort()
  expect(await hanging).toEqual({ is: 'stopped' })
  expect(await attemptCall(async () => 7, { stop: stopping.signal })).toEqual({ is: 'stopped' })
})

test('the words of an error are one clean line', () => {
  expect(errorWords(new Error('no\0 way\u001b[31m\n  here\u202e'))).toBe('no\ufffd way[31m here')
  expect(errorWords(new AggregateError([new Error('connect ECONNREFUSED')], ''))).toBe('connect ECONNREFUSED')
  expect(errorWords(new Error(''))).toBe('The connection failed.')
})

test.each([
  [
    'unable to verify the first certificate; if the root CA is installed locally, try',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ],
  ['self-signed certificate in certificate chain', 'ESOCKET'],
])('the error "%s" says how to name a private authority', (message, code) => {
  const words = errorWords(Object.assign(new Error(message), { code }))
  expect(words).toMatch(
    /^[^;]+: no authority that this machine knows has signed its certificate; name the file of .* in NODE_EXTRA_CA_CERTS/,
  )
})

test('a certificate that has expired names the clock', () => {
  const error = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' })
  expect(errorWords(error)).toMatch(
    /^its certificate has expired, and the clock of this machine says 20\d\d-.* UTC; set/,
  )
})
