import { expect, test } from 'vitest'
import { badItems } from './own-words.ts'

test('the words about a bad item are the first characters, and show that there are more', () => {
  const words = 'overdue by 7 min, still 5 copies running, the first since 07:12 UTC, then 07:15 UTC'
  const health = [
    { name: 'Job hang', level: 'bad' as const, detail: words },
    { name: 'Job mail', level: 'bad' as const, detail: words.slice(0, 80) },
  ]
  const said = badItems({ health })
  expect(said.get('Job hang')).toBe(`${words.slice(0, 79)}…`)
  expect(said.get('Job mail')).toBe(words.slice(0, 80))
})
