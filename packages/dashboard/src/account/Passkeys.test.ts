import { expect, test } from 'vitest'
import { whyNoPasskeys } from './Passkeys.tsx'

test.each([
  ['https://agents.example.org', true, undefined],
  ['http://localhost:8787', true, undefined],
  ['https://192.0.2.7', true, 'IP address'],
  ['http://agents.example.org', true, 'need https'],
  ['https://agents.example.org', false, 'This browser cannot'],
  ['https://192.0.2.7', false, 'IP address'],
])('at %s, in a browser that knows passkeys (%s): %s', (baseUrl, isKnown, says) => {
  const why = whyNoPasskeys(baseUrl, isKnown)
  if (says === undefined) expect(why).toBeUndefined()
  else expect(why).toContain(says)
})
