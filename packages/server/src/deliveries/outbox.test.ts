import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  answerWords,
  type DeliveryAnswer,
  type DeliveryOutcome,
  deliveryOutcomeOf,
  disablesChannel,
  isTooOldAt,
  maxTries,
  retryAfterMs,
  tooOldWords,
} from './outbox.ts'

const now = Date.UTC(2026, 10, 22, 14)
const second = 1000
const hour = 3600 * second
const status = (code: number, retryAfter?: string): DeliveryAnswer => ({
  is: 'status',
  status: code,
  retryAfter,
  message: '',
})
const down: DeliveryAnswer = { is: 'unreachable', message: 'connect ECONNREFUSED' }
const after = (answer: DeliveryAnswer, { tries = 0, age = 0, random = 0.5 } = {}): DeliveryOutcome =>
  deliveryOutcomeOf(answer, { createdAt: now - age, tries }, now, random)

test.each([200, 201, 202, 204, 299])('an answer %d means that the delivery was accepted', (code) =>
  expect(after(status(code))).toEqual({ is: 'sent' }),
)

test.each([100, 301, 302, 307, 400, 401, 404, 409, 422, 429, 500, 503])(
  'an answer %d is tried again after five seconds',
  (code) => expect(after(status(code))).toEqual({ is: 'again', dueAt: now + 5 * second }),
)

test('a receiver that is gone for good gets no second try', () => {
  expect(after(status(410))).toEqual({ is: 'dead', gone: true })
})

test.each<[string, DeliveryAnswer]>([
  ['that cannot be reached', down],
  ['that may not be called', { is: 'refused', message: 'private' }],
])('a receiver %s is tried again, in case that changes', (_who, answer) => {
  expect(after(answer)).toEqual({ is: 'again', dueAt: now + 5 * second })
})

test('the tries are further and further apart, and the tenth is the last', () => {
  const waits = Array.from({ length: maxTries }, (_, tries) => after(down, { tries })).map((outcome) =>
    outcome.is === 'again' ? (outcome.dueAt - now) / second : outcome.is,
  )
  expect(waits).toEqual([5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 'dead'])
})

test('each wait is spread by a fifth, so that receivers are not called all at once', () => {
  const ends = [0, 1].map((random) => after(down, { tries: 5, random }))
  expect(ends).toEqual([
    { is: 'again', dueAt: now + 0.8 * hour },
    { is: 'again', dueAt: now + 1.2 * hour },
  ])
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(8), (random, tries) => {
      const [min, outcome, max] = [0, random, 1].map((at) => after(down, { tries, random: at }))
      if (min?.is !== 'again' || outcome?.is !== 'again' || max?.is !== 'again') throw new Error('It was given up.')
      expect(outcome.dueAt).toBeGreaterThanOrEqual(min.dueAt)
      expect(outcome.dueAt).toBeLessThanOrEqual(max.dueAt)
    }),
  )
})

test.each<[string, string | undefined, number | undefined]>([
  ['seconds', '120', 120 * second],
  ['no seconds', '0', 0],
  ['a date', 'Sun, 22 Nov 2026 14:02:00 GMT', 120 * second],
  ['a date that is over', 'Sun, 22 Nov 2026 13:00:00 GMT', 0],
  ['nothing', undefined, undefined],
  ['an empty text', ' ', undefined],
  ['a negative number', '-5', undefined],
  ['a fraction', '1.5', undefined],
  ['words', 'Tuesday evening', undefined],
  ['another date', '2027-01-01', undefined],
])('Retry-After may be %s', (_form, header, ms) => expect(retryAfterMs(header, now)).toBe(ms))

test('a receiver that asks for more time gets it, and one that asks for less gets the usual time', () => {
  expect(after(status(429, '120'))).toEqual({ is: 'again', dueAt: now + 120 * second })
  expect(after(status(503, '1'), { tries: 3 })).toEqual({ is: 'again', dueAt: now + 600 * second })
})

test('a delivery is given up rather than tried later than a day after it was made', () => {
  expect(after(down, { tries: 8, age: 16 * hour })).toEqual({ is: 'dead', gone: false })
  expect(after(status(429, String(25 * 3600)))).toEqual({ is: 'dead', gone: false })
  expect(isTooOldAt(now)).toBe(now - 24 * hour)
})

test('ten dead deliveries in a row disable a channel, and so does a single 410', () => {
  const dead: DeliveryOutcome = { is: 'dead', gone: false }
  expect([
    disablesChannel(dead, 9),
    disablesChannel(dead, 10),
    disablesChannel({ is: 'dead', gone: true }, 1),
    disablesChannel({ is: 'sent' }, 99),
  ]).toEqual([false, true, true, false])
})

test('an answer is shown in one line', () => {
  expect(answerWords({ is: 'status', status: 404, retryAfter: undefined, message: 'No such\n\n room ' })).toBe(
    '404: No such room',
  )
  expect(answerWords(status(204))).toBe('204')
  expect(answerWords(down)).toBe('connect ECONNREFUSED')
})

test('what a receiver says is shown without characters that could do harm', () => {
  const said = (message: string) => answerWords({ is: 'status', status: 200, retryAfter: undefined, message })
  expect(said('ok \0 \u001b[31m\u0085\u202egpj.exe \ud83d')).toBe('200: ok \ufffd [31mgpj.exe \ufffd')
  expect(said(`${'x'.repeat(199)}👍👍`)).toBe(`200: ${'x'.repeat(199)}👍`)
})

test('a redirect names its target', () => {
  const redirect = 'https://example.org/hook/'
  expect(answerWords({ is: 'status', status: 308, retryAfter: undefined, message: '', redirect })).toBe(
    '308: it redirects to https://example.org/hook/; use that address',
  )
})

test('a delivery that is given up because of its age keeps its last answer', () => {
  expect([tooOldWords('500: oops'), tooOldWords(null)]).toEqual([
    '500: oops (It could not be sent within 24 hours)',
    'It could not be sent within 24 hours.',
  ])
})
