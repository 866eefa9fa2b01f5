import { expect, test } from 'vitest'
import { slugOf, wrongWithEmail, wrongWithPassword, wrongWithSlug } from './rules.ts'

test.each([
  ['Acme', 'acme'],
  ['Ärzte & Co.', 'arzte-co'],
  ['  Two  words ', 'two-words'],
  ['Ops/Night – 2', 'ops-night-2'],
  ['日本', ''],
  [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
])('a workspace called "%s" is suggested the address "%s"', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
  if (slug !== '') expect(wrongWithSlug(slug)).toBeNull()
})

test.each(['', 'A', 'a--b', '-a', 'a-', 'a b', 'a'.repeat(64)])('"%s" is no address of a workspace', (slug) => {
  expect(wrongWithSlug(slug)).not.toBeNull()
})

test('passwords have at least ten characters; addresses have an @', () => {
  expect([wrongWithPassword('123456789'), wrongWithPassword('1234567890')]).toEqual(['At least 10 characters.', null])
  expect([wrongWithEmail('ann'), wrongWithEmail(' ann@example.org ')]).toEqual([expect.any(String), null])
})
