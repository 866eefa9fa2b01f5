import { expect, test, vi } from 'vitest'
import { bundleWith } from '../../../../blueprint/testing/hostile.ts'
import { judgeBundle } from './judge.ts'

vi.mock('@svc/blueprint', async (original) => ({
  ...(await original<object>()),
  readBundle: () => {
    throw new Error('A bundle is judged in the thread that answers reports.')
  },
}))

const MB = 1024 * 1024
const chain = Array.from({ length: 63 }, (_, depth) => `aaaaaaaaaaaa${depth}`).join('/')

test.each([
  ['a small bundle', () => bundleWith([{ name: 'run.sh', content: 'x' }]), true],
  [
    '4,990 files in 63 folders with long names',
    () => bundleWith(Array.from({ length: 4990 }, (_, i) => ({ name: `${chain}/f${i}`, content: '' }))),
    true,
  ],
  [
    '99 MB in two files',
    () => bundleWith([50, 49].map((size, i) => ({ name: `x${i}`, content: Buffer.alloc(size * MB), pack: 'deflate' }))),
    true,
  ],
  ['a file that is not an archive', () => Buffer.alloc(20 * MB), false],
  [
    'names of 64 KB',
    () => bundleWith(Array.from({ length: 150 }, (_, i) => ({ name: `${'a/'.repeat(32_000)}${i}`, content: '' }))),
    false,
  ],
])(
  'a bundle is judged in a separate thread with 128 MB of heap, not in the one that answers reports: %s',
  async (_what, bytes, good) => {
    const judged = await judgeBundle(bytes())
    expect(judged.ok ? '' : judged.message).not.toContain('memory')
    expect(judged.ok).toBe(good)
  },
)

test('bundles are judged one after another, and each gets the right judgement', async () => {
  const all = await Promise.all([1, 2, 3].map((n) => judgeBundle(bundleWith([{ name: `file${n}`, content: `${n}` }]))))
  expect(all.map((judged) => judged.ok && JSON.parse(judged.value.files)[1].path)).toEqual(['file1', 'file2', 'file3'])
})
