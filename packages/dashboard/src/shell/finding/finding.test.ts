import { expect, test } from 'vitest'
import { bestNamed, fitsWords } from './Palette.tsx'

test.each([
  ['', 'Updates', true],
  ['upd', 'Updates', true],
  ['now run', 'Run now: mail-1', true],
  ['run off', 'Run now: mail-1', false],
])('"%s" finds "%s": %s', (typed, text, found) => {
  expect(fitsWords(typed, text)).toBe(found)
})

const named = (...names: string[]) => names.map((name) => ({ name }))
test.each([
  ['mail', ['a-mail', 'email', 'mail', 'mail-2', 'sorts-mails', 'x'], ['mail', 'mail-2', 'a-mail', 'sorts-mails']],
  ['MAIL ', ['mail-2', 'mail'], ['mail', 'mail-2']],
  ['slow', ['link-1', 'link-2'], ['link-1', 'link-2']],
])('for "%s" the best names of %j come first', (typed, names, best) => {
  expect(bestNamed(typed, named(...names), 4)).toEqual(named(...best))
})
