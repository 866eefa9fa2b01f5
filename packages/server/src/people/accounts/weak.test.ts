import { expect, test } from 'vitest'
import { whyWeak } from './weak.ts'

const ann = { email: 'ann.lee@example.org', name: 'Ann-Sophie Lee', workspaces: ['North wind', 'north'] }

test.each(['1234567890', 'password12', 'QWERTYUIOP', ' basketball '])(
  '%j is refused as one of the most common passwords',
  (password) => {
    expect(whyWeak(password, ann)).toMatch(/^This password is among the 3,000 most common ones/)
  },
)

test.each([
  'ann.lee@example.org',
  'Ann.Lee@Example.org2026',
  'annsophielee',
  'AnnSophie-Lee!',
  'northwind1',
  'northnorthnorth',
  'northwind-example',
])('%j is refused because it consists of its owner’s address, name and workspace', (password) => {
  expect(whyWeak(password, ann)).toMatch(/^This password is made of your own e-mail address, name or workspace/)
})

test.each(['correct horse battery', 'annapurna-range-8091', 'lee side of the moon', 'J5p!0xq-aa', '……………………………'])(
  '%j is accepted',
  (password) => expect(whyWeak(password, ann)).toBeUndefined(),
)

test('a very short name does not cause refusals by chance', () => {
  expect(whyWeak('so many horses', { email: 'so@e.eu', name: 'So' })).toBeUndefined()
})
