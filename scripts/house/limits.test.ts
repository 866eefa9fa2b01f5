/**
 * Finds limits in `limits` of packages/protocol that no shipped code uses. Either nothing enforces such a limit, or its
 * number is repeated in the code that does.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@svc/protocol'
import { expect, test } from 'vitest'
import { isShipped } from './figures.ts'
import { readSources } from './read.ts'

const root = join(import.meta.dirname, '../..')

test('every limit of the contract is used by shipped code', async () => {
  const shipped = [...(await readSources()).keys()].filter((file) => isShipped(file) && !file.endsWith('/limits.ts'))
  const text = shipped.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  const used = new Set([...text.matchAll(/\blimits\.(\w+)/g)].map(([, name]) => name))
  expect(Object.keys(limits).filter((name) => !used.has(name))).toEqual([])
})
