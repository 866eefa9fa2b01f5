import { limits } from '@svc/protocol'
import { expect, test } from 'vitest'
import { foldersOf, tooManyFolders, wrongBetween } from './tree.ts'

const named = (paths: readonly string[]) => paths.map((path) => ({ path }))
const chain = (root: string, depth: number) => `${root}/${'x/'.repeat(depth - 1)}f`

test('a folder counts once, listed or implied, and comes after its parent folder', () => {
  const folders = foldersOf(named(['a/b/c/f', 'a/', 'a/b/g', 'z/', 'h']))
  expect([...(folders?.keys() ?? [])]).toEqual(['a', 'a/b', 'a/b/c', 'z'])
})

test('5,000 folders are accepted and one more is too many, whatever creates them', () => {
  const good = Array.from({ length: 100 }, (_, i) => chain(`d${i}`, 50))
  expect(foldersOf(named(good))?.size).toBe(limits.bundleFolders)
  expect(wrongBetween(named(good))).toEqual([])
  for (const more of ['one/f', 'one/', 'd7/two/f'])
    expect(wrongBetween(named([...good, more])), more).toEqual([{ file: '', message: tooManyFolders }])
})

test('5,000 files in one folder need one folder', () => {
  expect(foldersOf(named(Array.from({ length: 5000 }, (_, i) => `d/f${i}`)))?.size).toBe(1)
})

test('a folder that clashes is reported for each path below it, in the order of the paths', () => {
  expect(wrongBetween(named(['Docs/deep/a', 'docs/b', 'DOCS/deep/c', 'docs/deep/d']))).toEqual([
    { file: 'docs/b', message: 'is in "docs", which some file systems take for "Docs"' },
    { file: 'DOCS/deep/c', message: 'is in "DOCS", which some file systems take for "Docs"' },
    { file: 'DOCS/deep/c', message: 'is in "DOCS/deep", which some file systems take for "Docs/deep"' },
    { file: 'docs/deep/d', message: 'is in "docs", which some file systems take for "Docs"' },
    { file: 'docs/deep/d', message: 'is in "docs/deep", which some file systems take for "Docs/deep"' },
  ])
})
