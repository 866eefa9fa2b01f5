import { expect, test } from 'vitest'
import { limits } from './limits.ts'
import { alignedRows, safeJson, safeLine, safeText, terminalText } from './terminal.ts'

const steering = ['\u061c', '\u200e', '\u200f', '\u2028', '\u2029', '\u202a', '\u202e', '\u2066', '\u2069', '\u009b']

test.each(steering)('%j reaches a terminal neither as text nor in JSON, and the JSON keeps its value', (c) => {
  expect(safeText(`a${c}b`)).toBe('ab')
  expect(safeLine(`a${c}b\nc`)).toBe('ab c')
  const json = safeJson({ text: `a${c}b` })
  expect(json).not.toContain(c)
  expect(JSON.parse(json)).toEqual({ text: `a${c}b` })
})

test('the columns of a table are as wide as their widest cell, which is counted in characters', () => {
  const rows = [
    ['NAME', 'STATE', ''],
    ['🦊🦊', 'ok', 'x'],
    ['mail-triage', '', ''],
  ]
  expect(alignedRows(rows)).toEqual(['NAME         STATE', '🦊🦊           ok     x', 'mail-triage'])
  expect(alignedRows([])).toEqual([])
})

const esc = '\u001b'
test.each([
  ['plain text stays', 'a\tb\n\nc', 'a\tb\n\nc'],
  ['CRLF ends a line', 'a\r\nb\r\n', 'a\nb\n'],
  ['progress overwrites itself', '1%\r2%', '2%'],
  ['what is longer stays behind what is written over it', 'Fetching\rDone', 'Donehing'],
  ['an erased rest of a line is gone', `Fetching\r${esc}[KDone`, 'Done'],
  ['an erased line is gone', `Fetching${esc}[2K\rDone`, 'Done    '],
  ['the beginning of a line is erased up to the cursor', `Fetching\b\b\b${esc}[1K`, '      ng'],
  ['text written after an erasure stays', `abc${esc}[2K\rxyz\b${esc}[1K!`, '  !'],
  ['an erasure does not reach text that is written behind its end', `abc${esc}[2K\r${esc}[Kxyz`, 'xyz'],
  ['colours leave nothing', `${esc}[31mred${esc}[0m ${esc}[1;38;5;9mbold${esc}[m`, 'red bold'],
  ['colours of eight bits leave nothing', '\u009b31mred\u009b0m', 'red'],
  ['a step back is written over', 'ab\b\bxy', 'xy'],
  ['a step back at the beginning stays there', '\b\bab', 'ab'],
  ['a column is reached', `abcdef${esc}[1Gx${esc}[2Cy${esc}[3Dz`, 'xzcyef'],
  ['a column far outside makes no spaces', `a${esc}[999999999Cb${esc}[999999999Gc`, 'abc'],
  [
    'links and titles leave only their text',
    `${esc}]0;title\u0007${esc}]8;;https://x${esc}\\here${esc}]8;;${esc}\\`,
    'here',
  ],
  ['a sequence that is cut leaves nothing', `a${esc}[31`, 'a'],
  ['a character of two units is one column', '\u{1f600}\u{1f600}\b\u{1f601}', '\u{1f600}\u{1f601}'],
  ['each line begins again', '1%\r2%\nx\ry', '2%\ny'],
  ['other controls are cleaned', 'a\u0000b\u0007', 'a\ufffdb'],
])('%s', (_what, text, shown) => expect(terminalText(text)).toBe(shown))

test('nothing that controls a terminal is left', () => {
  const text = Array.from({ length: 0xa0 }, (_, i) => `${esc}${String.fromCharCode(i)}x`).join('') + `${esc}`.repeat(99)
  expect(terminalText(text)).toMatch(/^[\t\n -~\ufffd]*$/)
})

const half = limits.logTextBytes / 2
test.each([
  ['erasures of the line', 'x'.repeat(half) + `${esc}[2K`.repeat(half / 4)],
  ['erasures of its beginning', 'x'.repeat(half) + `${esc}[1K`.repeat(half / 4)],
  ['carriage returns', `${'\r'.repeat(2 * half)}x`],
])('the time for a line as long as a log grows with its length if it has many %s', (_what, text) => {
  const began = process.cpuUsage()
  terminalText(text)
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(5000)
})
