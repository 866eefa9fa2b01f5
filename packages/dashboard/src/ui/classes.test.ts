import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const textOf = (pattern: string): string =>
  globSync(pattern, { cwd: root, exclude: (name) => name.includes('.test.') })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
const code = textOf('{index.html,{src,public}/**/*.{ts,tsx,js}}')
const styles = textOf('src/**/*.css').replace(/\/\*.*?\*\//gs, '')
const tests = globSync(['src/**/*.test.ts', 'src/**/testing/*.ts'], { cwd: root })
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n')

/** The classes of our own that have a style. Those of Mantine's elements are theirs. */
const styled = new Set([...styles.matchAll(/\.([a-z]+(?:-[a-z]+)+)/g)].map(([, name = '']) => name))
const ours = [...styled].filter((name) => !name.startsWith('mantine-'))

/** The classes that elements have as plain text. */
const given = new Set(
  [...code.matchAll(/className="([^"]*)"/g)].flatMap(([, names = '']) =>
    names.split(' ').filter((name) => name !== ''),
  ),
)
const has = (text: string, name: string): boolean => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text)

test('each class with a style is on an element', () => {
  const made = [...code.matchAll(/([a-z]+-)\$\{/g)].map(([, prefix = '']) => prefix)
  const left = ours.filter((name) => !has(code, name) && !made.some((prefix) => name.startsWith(prefix)))
  expect(ours.length).toBeGreaterThan(300)
  expect(left).toEqual([])
})

test('each class of an element has a style, or a test finds the element by it', () => {
  expect(given.size).toBeGreaterThan(300)
  expect([...given].filter((name) => !styled.has(name) && !has(tests, name))).toEqual([])
})
