import { expect, test } from 'vitest'
import {
  changeInWords,
  countTags,
  pressTag,
  readTypedTags,
  type TagChoices,
  tagChangeOf,
  wrongWithTags,
} from './tags.ts'

const agents = [
  { name: 'a', tags: ['eu', 'prod'] },
  { name: 'b', tags: ['eu'] },
  { name: 'c', tags: ['eu'] },
]
const counts = countTags(agents)

test('counts the agents that have each tag', () => {
  expect([...counts]).toEqual([
    ['eu', 3],
    ['prod', 1],
  ])
})

test.each<[typed: string, tags: string[], wrong: RegExp | null]>([
  ['', [], null],
  ['eu', ['eu'], null],
  [' eu, prod ', ['eu', 'prod'], null],
  ['eu prod,', ['eu', 'prod'], null],
  ['EU', ['EU'], /^A tag has 1 to 40 .* got "EU"\.$/],
  ['eu *', ['eu', '*'], /got "\*"/],
])('the text %j names the tags %j', (typed, tags, wrong) => {
  expect(readTypedTags(typed)).toEqual(tags)
  expect(wrongWithTags(typed)).toEqual(wrong === null ? null : expect.stringMatching(wrong))
})

test('an agent has at most 20 tags', () => {
  const text = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`).join(' ')
  expect([wrongWithTags(text(20)), wrongWithTags(text(21)), wrongWithTags(`${text(20)} t1`)]).toEqual([
    null,
    'An agent has at most 20 tags: these are 21.',
    null,
  ])
})

test.each<[tag: string, having: number, presses: (boolean | undefined)[]]>([
  ['eu', 3, [false, undefined, false]],
  ['prod', 1, [true, false, undefined, true]],
  ['new', 0, [true, undefined, true]],
])('presses on the box of %j, which %i of 3 agents have, choose %j', (tag, having, presses) => {
  let choices: TagChoices = new Map()
  const chosen = presses.map(() => {
    choices = pressTag(choices, tag, { having, all: 3 })
    return choices.get(tag)
  })
  expect(chosen).toEqual(presses)
})

test.each<[choices: [string, boolean][], typed: string, add: string[], remove: string[], words: string]>([
  [[], '', [], [], ''],
  [[['prod', true]], '', ['prod'], [], 'Gives prod to 2 agents.'],
  [[['prod', false]], '', [], ['prod'], 'Takes prod from 1 agent.'],
  [[['eu', false]], 'us eu', ['us'], [], 'Gives us to 3 agents.'],
  [[['eu', false]], 'us us', ['us'], ['eu'], 'Gives us to 3 agents. Takes eu from 3 agents.'],
  [[], 'eu', [], [], ''],
])('the choices %j with the text %j add %j and remove %j', (choices, typed, add, remove, words) => {
  const change = tagChangeOf(counts, 3, new Map(choices), typed)
  expect(change).toEqual({ add, remove })
  expect(changeInWords(change, counts, 3)).toBe(words)
})

test('the words about a single agent name no number', () => {
  const one = countTags([{ name: 'a', tags: ['old'] }])
  expect(changeInWords({ add: ['eu'], remove: ['old'] }, one, 1)).toBe('Gives eu. Takes old.')
})
