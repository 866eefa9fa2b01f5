import { expect, test } from 'vitest'
import { textsAfter } from './useAddressText.ts'

test.each([
  ['the address has the only text that was put into it', ['mail'], 'mail', []],
  [
    'the address has an earlier text, so the later ones still come, and what was typed stays',
    ['m', 'ma', 'mai'],
    'm',
    ['ma', 'mai'],
  ],
  ['the address left out an earlier text', ['m', 'ma', 'mai'], 'ma', ['mai']],
  ['a text from elsewhere replaces what was typed', ['m', 'ma'], 'disk', undefined],
  ['a text from elsewhere, while none is on its way', [], 'disk', undefined],
])('%s', (_case, told, text, left) => expect(textsAfter(told, text)).toEqual(left))
