import { expect, test } from 'vitest'
import { sharedAnswers } from './shared.ts'

function newSharedAnswers() {
  let at = 0
  let made = 0
  const answers = sharedAnswers(() => at)
  return {
    forget: answers.forget,
    pass: (ms: number) => {
      at += ms
    },
    /** Resolves with the number of the answer that the page gets: the first answer made has the number 1. */
    ask: async (question = 'all') => (await answers.of(question, async () => new Uint8Array([++made])))[0],
    fail: () => answers.of('all', () => Promise.reject(new Error('The database is away.'))),
  }
}

test('the same question at the same moment gets the same answer; another question, or a later one, does not', async () => {
  const { ask, pass } = newSharedAnswers()
  expect(await Promise.all([ask(), ask(), ask('bad')])).toEqual([1, 1, 2])
  pass(249)
  expect(await ask()).toBe(1)
  pass(1)
  expect(await ask()).toBe(3)
})

test('after a frame or a change a new answer is made, even while an earlier one is still being made', async () => {
  const { ask, forget } = newSharedAnswers()
  const before = ask()
  forget()
  const after = ask()
  expect(await Promise.all([before, after, ask()])).toEqual([1, 2, 2])
})

test('a failure reaches those who waited for it, and nobody after them', async () => {
  const { ask, fail } = newSharedAnswers()
  const both = await Promise.allSettled([fail(), ask()])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await ask()).toBe(1)
})

test('no more than sixteen answers are kept, whatever people search for: the oldest goes first', async () => {
  const { ask } = newSharedAnswers()
  for (let i = 0; i < 16; i++) await ask(`q${i}`)
  expect(await ask('q0')).toBe(1)
  await ask('q16')
  expect(await ask('q1')).toBe(2)
  expect(await ask('q0')).toBe(18)
})
