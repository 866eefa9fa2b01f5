import type { FleetFacets } from '@svc/api'
import { parseFilter } from '@svc/api/filter'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { suggestionsFor, typedPartAt, withSuggestion } from './Suggestions.tsx'

const facets: FleetFacets = {
  tag: [
    { value: 'prod', agents: 1200 },
    { value: 'preview', agents: 3 },
    { value: 'eu', agents: 2 },
  ],
  host: [{ value: 'Build one', agents: 1 }],
  blueprint: [{ value: 'mail*', agents: 1 }],
  version: [{ value: '1.10.0', agents: 4 }],
}

/** A text with | where the caret is. */
const at = (text: string) => ({ text: text.replace('|', ''), caret: text.indexOf('|') })
const offered = (text: string) => {
  const { text: plain, caret } = at(text)
  const typing = typedPartAt(plain, caret)
  return typing === undefined ? undefined : suggestionsFor(typing, facets).map(({ insert }) => insert)
}

test.each<[text: string, offered: string[] | undefined]>([
  ['|', []],
  ['le|', ['level:']],
  ['mail -ta|', ['tag:']],
  ['c|', ['can:', 'cost:', 'cost30:']],
  ['mail|', []],
  ['level:|', ['ok', 'info', 'warn', 'bad', 'none']],
  ['level:bad,w|', ['warn']],
  ['level:warn|', []],
  ['IS:off|', ['offline']],
  ['tag:p|', ['prod', 'preview']],
  ['tag:eu,p| mail', ['prod', 'preview']],
  ['host:|', ['"Build one"']],
  ['ｔａｇ：ＰＲ|', ['prod', 'preview']],
  ['version:1.10\u200b|', ['1.10.0']],
  ['blueprint:m|', ['"mail*"']],
  ['version:1|', ['1.10.0']],
  ['version:<1|', []],
  ['name:m|', []],
  ['colour:r|', undefined],
  ['"the le|', undefined],
  ['"the le" ta|', ['tag:']],
])('in %j these are offered: %j', (text, wanted) => {
  expect(offered(text)).toEqual(wanted)
})

test.each<[text: string, insert: string, after: string]>([
  ['le| mail', 'level:', 'level:| mail'],
  ['mail -ta|:eu', 'tag:', 'mail -tag:|eu'],
  ['level:bad,w|xyz tag:eu', 'warn', 'level:bad,warn| tag:eu'],
  ['level:b|,ok', 'bad', 'level:bad|,ok'],
])('in %j the suggestion %s gives %j', (text, insert, after) => {
  const { text: plain, caret } = at(text)
  const typing = typedPartAt(plain, caret)
  expect(typing && withSuggestion(plain, typing, { insert, note: '' })).toEqual(at(after))
})

test.each([
  ['tag:eu host:b| mail', 'tag:eu  mail'],
  ['-tag:p|', ''],
])('the values for %j are those of the agents that %j selects', (text, rest) => {
  const { text: plain, caret } = at(text)
  expect(typedPartAt(plain, caret)?.rest).toBe(rest)
})

test('every offered value is right, whatever its text is', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const typing = typedPartAt('host:', 5)
      const all = typing ? suggestionsFor(typing, { ...facets, host: [{ value, agents: 1 }] }) : []
      for (const suggestion of all) expect(parseFilter(`host:${suggestion.insert}`)).toMatchObject({ ok: true })
    }),
  )
})
