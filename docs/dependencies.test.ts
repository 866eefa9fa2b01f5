import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8')

/** The rows of the table in docs/dependencies.md, each as a list of its cells. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
const named = new Set(rows.flatMap((cells) => [...(cells[1] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1])))

const packages = ['package.json', ...globSync('packages/*/package.json', { cwd: root })].sort()
const dependenciesOf = (file: string): Record<string, string> => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, file), 'utf8'))
  const all = Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies })
  return Object.fromEntries(all.filter(([name]) => !name.startsWith('@svc/')))
}

test.each(packages)('dependencies.md names every dependency of %s', (file) => {
  expect(Object.keys(dependenciesOf(file)).filter((name) => !named.has(name))).toEqual([])
})

test('it names nothing that is not there any more', () => {
  const all = new Set(packages.flatMap((file) => Object.keys(dependenciesOf(file))))
  expect([...named].filter((name) => !all.has(name ?? ''))).toEqual([])
})

test('each row says what for and which licence', () => {
  for (const [, name, purpose, , licence] of rows) expect([name, purpose, licence]).not.toContain('')
})

test('versions are exact', () => {
  for (const file of packages)
    for (const [name, version] of Object.entries(dependenciesOf(file)))
      expect([file, name, version]).toEqual([file, name, expect.stringMatching(/^\d+\.\d+\.\d+[\w.-]*$/)])
})
