/** What anybody who comes to the repository relies on. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const licence = 'Apache-2.0'

test('the licence is the same in LICENSE, in the README and in every package.json', () => {
  expect(read('LICENSE')).toContain('Apache License\n                           Version 2.0')
  expect(read('README.md')).toContain(`[${licence}](LICENSE)`)
  const packages = ['package.json', ...globSync('packages/*/package.json', { cwd: root })]
  expect(packages.length).toBeGreaterThan(4)
  for (const file of packages) expect([file, JSON.parse(read(file)).license]).toEqual([file, licence])
})

test('.nvmrc names a Node that the packages accept', () => {
  const least = /^>=(\d+)$/.exec(JSON.parse(read('package.json')).engines.node)?.[1]
  expect(Number(read('.nvmrc'))).toBeGreaterThanOrEqual(Number(least))
})
