/**
 * Checks that each slow test file says which file of `npm test` proves the same rules, or why none does, and that only
 * test files have `.slow.` in their names.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { places } from './places.ts'

const root = join(import.meta.dirname, '..')
const slow = places
  .flatMap((place) => globSync(`${place}/**/*.slow.*`, { cwd: root }))
  .filter((file) => !/node_modules|\.cache/.test(file))

/** The opening comment of a file as one line. */
const opening = (file: string): string =>
  (/^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? '').replace(/\s*\n \* ?/g, ' ').trim()

test.each(slow)('%s says which file of `npm test` proves the same, or why none does', (file) => {
  const [, says = ''] = /`npm test` leaves this out\. (.+)$/.exec(opening(file)) ?? []
  const [, other] = /^(\S+\.test\.tsx?) proves the same rules\.$/.exec(says) ?? []
  if (other === undefined) return expect(says).toMatch(/^(It |The |`).{30,}\.$/)
  expect(existsSync(join(root, other)), other).toBe(true)
  expect(other).not.toContain('.slow.')
})

test('only test files are slow', () => {
  expect(slow.filter((file) => !/\.slow(\.(store|http|process|browser))?\.test\.tsx?$/.test(file))).toEqual([])
  expect(slow.length).toBeGreaterThan(30)
})
