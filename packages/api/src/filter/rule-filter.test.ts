import { expect, test } from 'vitest'
import { filterKeys, parseRuleFilter } from './index.ts'

test.each([
  'tag:prod',
  'TAG:prod',
  'tag:prod,eu -tag:old',
  'host:build-* -host:build-1',
  'blueprint:"mail triage"',
  'name:mail-*,web-1 tag:*',
  '',
])('the filter %j may limit a rule', (text) => expect(parseRuleFilter(text)).toMatchObject({ ok: true }))

const others = Object.entries(filterKeys).filter(([key]) => !['tag', 'host', 'blueprint', 'name'].includes(key))
const example: Readonly<Record<string, string>> = { version: '<1.4.0', runtime: '0.2.*', seen: '>10m' }

test.each(others.map(([key, { words }]) => [key, example[key] ?? words?.[0] ?? '>5']))(
  'a rule is not limited by %s:, which changes with what the rule is about',
  (key, value) => {
    expect(parseRuleFilter(`tag:prod -${key}:${value}`)).toEqual({
      ok: false,
      at: 9,
      length: `-${key}:${value}`.length,
      message: `The filter of a rule takes only tag:, host:, blueprint: and name:. ${key}: changes with what the rule is about.`,
    })
  },
)

test.each(['prod', '-prod', '"tag:prod"'])(
  'a rule is not limited by the word %s, which is found in labels, too',
  (text) =>
    expect(parseRuleFilter(text)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/Words without a key change with what the rule is about\.$/),
    }),
)

test('a text that is no filter is refused as everywhere', () =>
  expect(parseRuleFilter('tags:prod')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^There is no filter/),
  }))
