import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesLeftOut, leftOut } from './quick.ts'

const root = join(import.meta.dirname, '../..')
const files = globSync('{packages,scripts}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })

/**
 * The name "PostgreSQL" is not looked for in the sources, since `everyEngine` adds it to the names of tests while they
 * run.
 */
const names = leftOut.filter((name) => name !== 'PostgreSQL')

test('what the quick run leaves out is there: a test that is renamed does not come back into it unnoticed', () => {
  const texts = files
    .filter((file) => !file.endsWith('quick.test.ts'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
  expect(names.filter((name) => !texts.some((text) => text.includes(name)))).toEqual([])
  for (const pattern of filesLeftOut) expect(globSync(`packages/${pattern}`, { cwd: root }), pattern).not.toEqual([])
})
