import { expect, test } from 'vitest'
import { judge, probe } from './probe.ts'

const answered = (status: number) => ({ is: 'answered', status, headers: {}, body: Buffer.alloc(0) }) as const

test.each([
  [200, 'ok'],
  [403, 'ok'],
  [401, 'bad'],
  [404, 'bad'],
  [302, 'warn'],
  [429, 'warn'],
  [500, 'warn'],
])('a product that answers %i makes the binding %s (3.7)', (status, level) => {
  expect(judge(answered(status), 'https://tasks.example')).toMatchObject({ level })
})

test('an unreachable product is a warning', () => {
  expect(judge({ is: 'lost', why: 'nothing listens at the address', sent: false }, 'https://tasks.example')).toEqual({
    level: 'warn',
    detail: 'https://tasks.example cannot be reached: nothing listens at the address.',
  })
})

test('a product that a newer version asks for, and that got no token at the installation, is reported with the remedy', async () => {
  const product = 'p'.repeat(40)
  const none = { product, url: undefined, workspace: undefined, token: undefined }
  const { level, detail } = await probe(none, new AbortController().signal)
  expect(level).toBe('bad')
  expect(detail).toMatch(/There is no token for p+ here.* install it again .*, or go back to the previous version\.$/)
})

test.each([
  [{ url: undefined }, 'not all in'],
  [{ url: 'https://u:p@tasks.example' }, 'user name'],
  [{ url: 'file:///etc/passwd' }, 'address such as'],
])('variables that do not form a binding are reported, and no request is made: %j', async (part, says) => {
  const binding = { product: 'tasks', workspace: 'w', token: 't', ...part }
  expect(await probe(binding, new AbortController().signal)).toMatchObject({
    level: 'bad',
    detail: expect.stringContaining(says),
  })
})
