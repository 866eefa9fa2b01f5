import { expect, test } from 'vitest'
import { newSecrets } from './secrets.ts'

const asks = (...names: string[]) => ({
  secrets: names.map((name) => ({ name, purpose: `what ${name} is for`, optional: false })),
})
const named = (...args: Parameters<typeof newSecrets>) => newSecrets(...args).map(({ name }) => name)

test('a secret is new where a version in use does not ask for it', () => {
  expect(named(asks('A', 'B'), [asks('A')])).toEqual(['B'])
  expect(named(asks('A', 'B'), [asks('A', 'B')])).toEqual([])
  expect(named(asks('A'), [asks('A', 'B')])).toEqual([])
})

test('of several versions in use, one that does not ask for it is enough', () => {
  expect(named(asks('A', 'B'), [asks('A', 'B'), asks('A')])).toEqual(['B'])
})

test('where nothing is known of what runs, nothing is called new', () => {
  expect(named(asks('A'), [])).toEqual([])
  expect(named(undefined, [asks()])).toEqual([])
})
