import { expect, test } from 'vitest'
import { type FirstKey, type KeyFocus, type KeyPress, keyMeaning, keyTable } from './keys.ts'

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false, repeat: false, timeStamp: 1_000 },
  ...more,
})
const page: KeyFocus = { field: false, dialog: false, row: false, isMac: false }
const row = { ...page, row: true }
const g: FirstKey = { key: 'g', at: 500 }

test.each<[string, KeyPress, KeyFocus, FirstKey | undefined, string[]]>([
  ['?', press('?'), page, undefined, ['keys']],
  ['g, then a', press('a'), page, g, ['agents']],
  ['g, then u', press('u'), page, g, ['updates']],
  ['g, then l', press('l'), page, g, ['alerts']],
  ['g, and a long time later a', press('a', { timeStamp: 2_500 }), page, g, []],
  ['a alone', press('a'), page, undefined, []],
  ['g, then j', press('j'), page, g, []],
  ['j anywhere on the page', press('j'), page, undefined, ['next']],
  ['an arrow outside of the list', press('ArrowDown'), page, undefined, []],
  ['an arrow on a row', press('ArrowDown'), row, undefined, ['next']],
  ['x outside of the list', press('x'), page, undefined, []],
  ['x on a row', press('x'), row, undefined, ['select']],
  ['Space on a row', press(' '), row, undefined, ['select']],
  ['Enter on a button', press('Enter'), page, undefined, []],
  ['Enter on a row', press('Enter'), row, undefined, ['open']],
  ['Escape', press('Escape'), page, undefined, ['clear', 'back']],
  ['a held j', press('j', { repeat: true }), page, undefined, ['next']],
  ['a held x', press('x', { repeat: true }), row, undefined, []],
  ['a letter in a field', press('j'), { ...page, field: true }, undefined, []],
  ['/ in a field', press('/'), { ...page, field: true }, undefined, []],
  ['a letter behind a dialog', press('j'), { ...page, dialog: true }, undefined, []],
  ['Ctrl-K behind a dialog', press('k', { ctrlKey: true }), { ...page, dialog: true }, undefined, []],
  ['Ctrl-K', press('k', { ctrlKey: true }), page, undefined, ['palette']],
  ['Ctrl-K in a field', press('k', { ctrlKey: true }), { ...page, field: true }, undefined, ['palette']],
  ['Ctrl-K with caps lock', press('K', { ctrlKey: true }), page, undefined, ['palette']],
  ['Ctrl-K on a Mac, where it deletes', press('k', { ctrlKey: true }), { ...page, isMac: true }, undefined, []],
  ['Cmd-K on a Mac', press('k', { metaKey: true }), { ...page, isMac: true }, undefined, ['palette']],
  ['Ctrl-J', press('j', { ctrlKey: true }), row, undefined, []],
  ['Alt-X', press('x', { altKey: true }), row, undefined, []],
  ['Ctrl-Alt-K', press('k', { ctrlKey: true, altKey: true }), page, undefined, []],
])('%s means %5$j', (_what, key, focus, begun, does) => {
  expect(keyMeaning(key, focus, begun).does).toEqual(does)
})

test('only the first key of a pair begins one', () => {
  expect(keyMeaning(press('g'), page, undefined)).toEqual({ does: [], begun: { key: 'g', at: 1_000 } })
  expect(keyMeaning(press('z'), page, undefined)).toEqual({ does: [] })
  expect(keyMeaning(press('g'), { ...page, field: true }, undefined)).toEqual({ does: [] })
})

test('a press has one effect in one place', () => {
  const places = keyTable.flatMap((key) => {
    const { where, press: all = [], onRow = [] } = { press: [], onRow: [], ...key }
    return [...all, ...onRow].map((one) => `${where} ${one}`)
  })
  expect(places).toHaveLength(new Set(places).size)
})
