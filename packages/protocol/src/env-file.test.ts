import { expect, test } from 'vitest'
import { changeEnvText, doubtfulValues, readDotenvText, readEnvText, repeatedNames } from './env-file.ts'

const names = (text: string) => readEnvText(text).lines.map(({ name, value }) => [name, value])

test.each([
  [
    'plain lines',
    'A=1\nB=two words\n',
    [
      ['A', '1'],
      ['B', 'two words'],
    ],
  ],
  [
    'CRLF',
    'A=1\r\nB=2\r\n',
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  ['a byte order mark', '\ufeffA=1\n', [['A', '1']]],
  ['comments and empty lines', '# all\n\n  \nA=1\n\t# more\n', [['A', '1']]],
  ['no line feed at the end', 'A=1', [['A', '1']]],
  ['a value is literal', 'A="b" #c=d\\n ', [['A', '"b" #c=d\\n ']]],
  ['an empty value', 'A=', [['A', '']]],
] as const)('%s: every line is understood', (_what, text, lines) => {
  expect(names(text)).toEqual(lines)
  expect(readEnvText(text).faults).toEqual([])
})

test.each([
  ['export A=1', 'begins with "export"; write only NAME=value'],
  ['set A=1', 'begins with the command of a shell; write only NAME=value'],
  ['$env:A=1', 'begins with the command of a shell; write only NAME=value'],
  [' A=1', 'begins with a space; write NAME=value at the beginning of the line'],
  ['"A"=1', 'begins with a quote; write NAME=value without quotes'],
  ['-----END PRIVATE KEY-----', 'is a line of a key or certificate; a value must be one line'],
  ['{"A": "1"}', 'looks like JSON; write NAME=value, one line for each'],
  ['A = 1', 'has a space before the "="; write NAME=value without it'],
  ['A: 1', 'has a colon after the name; write NAME=value'],
  ['MIIEvQIBADAN', 'has no "="; a value must be one line, written NAME=value'],
  ['=1', 'has no name before the "="'],
  ['lower=1', 'has a name with other characters than A to Z, 0 to 9 and _, or that does not begin with a letter'],
  ['A-B=1', 'has a name with other characters than A to Z, 0 to 9 and _, or that does not begin with a letter'],
  ['\u200bA=1', 'has an invisible character, U+200B'],
  ['A=x\u2028y', 'has an invisible character, U+2028'],
  ['A=1\rB=2', 'has a carriage return inside; end each line with a line feed'],
  ['*A=1', 'is not NAME=value'],
])('%j is not understood, with its line and the reason', (line, why) =>
  expect(readEnvText(`GOOD=1\n${line}\n`).faults).toEqual([{ line: 2, why }]),
)

test('a name that occurs twice is found, and values that are probably meant otherwise', () => {
  expect(repeatedNames(readEnvText('A=1\nB=2\nA=3\n'))).toEqual([{ name: 'A', lines: [1, 3] }])
  const why = (text: string) => doubtfulValues(readEnvText(text)).map((one) => one.why)
  const exactly = 'it is used exactly as written'
  expect(why('A="x"\nB= x\nC=x # note\nD=x\u200b\nE=plain\n')).toEqual([
    `the value of A is in quotes; ${exactly}`,
    `the value of B begins or ends with a space; ${exactly}`,
    `the value of C contains " #", which begins no comment here; ${exactly}`,
    `the value of D contains an invisible character, U+200B; ${exactly}`,
  ])
})

test.each([
  ['a new name goes to the end', 'A=1\n', 'B', '2', 'A=1\nB=2\n'],
  ['an empty file', '', 'B', '2', 'B=2\n'],
  ['a file without a line feed at its end', 'A=1', 'B', '2', 'A=1\nB=2\n'],
  ['CRLF is kept', 'A=1\r\nB=2\r\n', 'A', '3', 'A=3\r\nB=2\r\n'],
  ['what is not understood stays', '# c\nexport B=1\nlower=x\nA=1\n', 'A', '2', '# c\nexport B=1\nlower=x\nA=2\n'],
  ['of a name that occurs twice the last line is changed', 'A=1\nB=2\nA=3\n', 'A', '4', 'B=2\nA=4\n'],
  ['a byte order mark stays', '\ufeffA=1\n', 'A', '2', '\ufeffA=2\n'],
  ['a byte order mark stays in Latin-1', '\u00ef\u00bb\u00bfA=1\n', 'A', '2', '\u00ef\u00bb\u00bfA=2\n'],
  ['a name is removed with all its lines', 'A=1\nB=2\nA=3\n', 'A', undefined, 'B=2\n'],
  ['a name that is not there is not removed', 'AB=1\n', 'A', undefined, 'AB=1\n'],
])('%s', (_what, text, name, value, changed) => expect(changeEnvText(text, name, value)).toBe(changed))

test.each([
  ['export, spaces, comments', 'export A = 1 # c\n# d\nB=2', ['A', 'B'], []],
  ['values of several lines', 'A="1\nC=no\n"\nB=\'x\' # c\n', ['A', 'B'], []],
  ['a quote that is not closed', 'A="1\nB=2\n', ['A', 'B'], [[1, 'opens a quote (") that is never closed']]],
  ['text after a quote', 'A="1" 2\n', ['A'], [[1, 'has text after the closing quote']]],
  ['no equals sign', 'SVC_PORT 80\n', [], [[1, 'has no "="; a value must be one line, written NAME=value']]],
] as const)('a file read like a shell script: %s', (_what, text, found, faults) => {
  const read = readDotenvText(text)
  expect(read.lines.map(({ name }) => name)).toEqual(found)
  expect(read.faults.map(({ line, why }) => [line, why])).toEqual(faults)
})
