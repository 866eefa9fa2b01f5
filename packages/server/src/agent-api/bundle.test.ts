import { expect, test } from 'vitest'
import { HeldBundles } from './bundle.ts'

const bytes = Buffer.from('bundle')

test('a bundle is read once for all who hold it at the same time, and again when nobody holds it', async () => {
  const held = new HeldBundles()
  let reads = 0
  const read = async () => {
    reads++
    return bytes
  }
  expect(await Promise.all([1, 2, 3].map(() => held.take('a', 6, read)))).toEqual([bytes, bytes, bytes])
  held.giveBack('a')
  held.giveBack('a')
  await held.take('a', 6, read)
  expect(reads).toBe(1)
  held.giveBack('a')
  held.giveBack('a')
  await held.take('a', 6, read)
  expect(reads).toBe(2)
})

test('different bundles may use a limited number of bytes, but one is always allowed, and so is one that is already held', async () => {
  const held = new HeldBundles(10)
  const read = async () => bytes
  expect(held.hasRoom('a', 11)).toBe(true)
  await held.take('a', 6, read)
  expect([held.hasRoom('b', 5), held.hasRoom('b', 4), held.hasRoom('a', 6)]).toEqual([false, true, true])
  held.giveBack('a')
  expect(held.hasRoom('b', 5)).toBe(true)
})

test('a bundle that could not be read is forgotten', async () => {
  const held = new HeldBundles()
  await expect(held.take('a', 6, () => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
  held.giveBack('a')
  expect(await held.take('a', 6, async () => bytes)).toBe(bytes)
})
