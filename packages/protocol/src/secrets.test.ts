import { expect, test } from 'vitest'
import { newSecrets } from './secrets.ts'

const asks = (...names: string[]) => ({
  secrets: names.map((name) => ({ name, purpose: `what ${name} is for`, optional: false })),
})
const named = (...args: Parameters<typeof newSecrets>) => newSecrets(...args).map(({ name }) => name)

test('a secret is new if a version in use does not ask for it', () => {
  expect(named(asks('A', 'B'), [asks('A')])).toEqual(['B'])
  expect(named(asks('A', 'B'), [asks('A', 'B')])).toEqual([])
  expect(named(asks('A'), [asks('A', 'B')])).toEqual([])
})

test('one version in use that does not ask for a secret is enough to make it new', () => {
  expect(named(asks('A', 'B'), [asks('A', 'B'), asks('A')])).toEqual(['B'])
})

test('if nothing is known of the versions in use, no secret is called new', () => {
  expect(named(asks('A'), [])).toEqual([])
  expect(named(undefined, [asks()])).toEqual([])
})
