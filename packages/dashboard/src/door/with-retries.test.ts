import { expect, test } from 'vitest'
import { ApiError } from '../data/api.ts'
import { withRetries } from './with-retries.ts'

/** Asks a service that gives these answers one after the other, and returns what came of it with the pauses. */
async function asked(...answers: (Error | string)[]) {
  const pauses: number[] = []
  const ask = async () => {
    const answer = answers.shift()
    if (typeof answer === 'string') return answer
    throw answer
  }
  const outcome = await withRetries(ask, async (ms) => void pauses.push(ms)).catch((error) => error)
  return [outcome, pauses, answers.length]
}
const failed = (status: number) => new ApiError(status, 'code', 'words')

test('a service that cannot be reached or fails is asked twice more', async () => {
  expect(await asked('yes')).toEqual(['yes', [], 0])
  expect(await asked(failed(0), failed(503), 'yes')).toEqual(['yes', [1000, 2000], 0])
  expect(await asked(failed(503), failed(0), failed(500), 'yes')).toEqual([failed(500), [1000, 2000], 1])
})

test('a request that the service refused is not repeated', async () => {
  expect(await asked(failed(404), 'yes')).toEqual([failed(404), [], 1])
  expect(await asked(failed(429), 'yes')).toEqual([failed(429), [], 1])
})
