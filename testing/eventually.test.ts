import { expect, test } from 'vitest'
import { eventually } from './eventually.ts'

const soon = { seconds: 0.05, everyMs: 1 }

test('a poll returns as soon as its condition holds', async () => {
  let asked = 0
  const third = async () => {
    expect(++asked).toBe(3)
    return 'it holds'
  }
  expect(await eventually('the third question', third, { everyMs: 1 })).toBe('it holds')
  expect(asked).toBe(3)
})

test('a poll that fails says what it waited for, for how long, and what was wrong last', async () => {
  const never = eventually('the server no longer listens', () => expect(1).toBe(2), soon)
  await expect(never).rejects.toThrow(
    /^Waited 0\.05 s for this: the server no longer listens\. Last: expected 1 to be 2 \/\/ /,
  )
  await expect(never).rejects.toMatchObject({ cause: { actual: 1, expected: 2 } })
})

test('so does a poll whose question is never answered', async () => {
  const never = eventually('an answer', () => new Promise(() => {}), soon)
  await expect(never).rejects.toThrow('Waited 0.05 s for this: an answer. Last: Timed out in waitFor!')
})

test('the error points at the line of the test', async () => {
  const error = await eventually('nothing', () => expect.fail(), soon).catch((error: Error) => error)
  expect((error as Error).stack).toContain('eventually.test.ts')
})
