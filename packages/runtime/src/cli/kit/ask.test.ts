import { expect, test } from 'vitest'
import { answerIn, yesNo } from './ask.ts'

test.each([
  ['', true],
  ['y', true],
  ['Yes', true],
  [' yes\u200b ', true],
  ['n', false],
  ['NO', false],
  ['svc_agt_nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn', undefined],
  ['yo', undefined],
  ['yy', undefined],
  ['https://svc.example.com', undefined],
  ['K7QF-9RHN', undefined],
  ['y svc_agt_x', undefined],
])('the line %j is the answer %j', (line, expected) => expect(answerIn(line, yesNo)).toBe(expected))
