import { expect, test } from 'vitest'
import { csvOf } from './csv.ts'

test('cells are separated by commas, and rows by line ends of RFC 4180', () =>
  expect(
    csvOf([
      ['id', 'cost'],
      ['a b', 0.25],
      [undefined, -1],
    ]),
  ).toBe('\ufeff"id","cost"\r\n"a b",0.25\r\n,-1\r\n'))

test.each([
  ['a,b', '"a,b"'],
  ['say "no"', '"say ""no"""'],
  ['one\ntwo', '"one\ntwo"'],
  ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ['+1', '"\'+1"'],
  ['-1', '"\'-1"'],
  ['@sum', '"\'@sum"'],
  ['\tx', '"\'\tx"'],
  ['\r=1', '"\'\r=1"'],
  ['\n=1', '"\'\n=1"'],
  ['＝1', '"\'＝1"'],
  ['＋1', '"\'＋1"'],
  ['－1', '"\'－1"'],
  ['＠x', '"\'＠x"'],
  ['﹦1', '"\'﹦1"'],
  [' =1', '"\' =1"'],
  ['\u200b=1', '"\'\u200b=1"'],
  ['x;=HYPERLINK(A1)', '"x;=HYPERLINK(A1)"'],
  ['x\t=1', '"x\t=1"'],
  ['2026-01-01', '"2026-01-01"'],
  ['', '""'],
])('the text %j is the cell %j', (text, cell) => expect(csvOf([[text]])).toBe(`\ufeff${cell}\r\n`))
