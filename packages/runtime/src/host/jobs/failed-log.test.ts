import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { failedOutputText, keepFailedOutput } from './failed-log.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-failed-'))
  writeFileSync(join(root, 'secrets.env'), 'MAIL_PASSWORD=correct-horse\n')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const host = () => ({ env: join(root, 'agent.env'), secrets: join(root, 'secrets.env') })
const end = (text: string, isWhole = true) => ({ bytes: Buffer.from(text), isWhole })
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n')

test.each<[string, string, string]>([
  ['few lines', 'one\ntwo\n', 'one\ntwo\n'],
  ['a last line without its end', 'one\ntwo', 'one\ntwo\n'],
  ['empty lines at the end', 'one\n\n\n \n', 'one\n'],
  ['25 lines', numbered(25), `${numbered(25).split('\n').slice(5).join('\n')}\n`],
  ['nothing', '', ''],
  ['only line breaks', '\n\n', ''],
  ['a progress that was written over', '10%\r50%\r100%\nfailed\n', '100%\nfailed\n'],
  ['sequences for a terminal', '\u001b[31mred\u001b[0m\n', 'red\n'],
  ['a secret', 'login correct-horse\n', 'login [masked]\n'],
])('of an output with %s, the end is kept as a reader may see it', (_what, output, kept) => {
  expect(failedOutputText(end(output), host())).toBe(kept)
})

test.each<[string, string]>([
  ['one line', 'x'.repeat(5000)],
  ['one line of wide characters', '文'.repeat(5000)],
  ['twenty long lines', Array.from({ length: 20 }, () => 'y'.repeat(400)).join('\n')],
])('of %s, at most 4 KB are kept', (_what, output) => {
  const text = failedOutputText(end(output), host())
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096)
  expect(Buffer.byteLength(text)).toBeGreaterThan(4000)
  expect(text).not.toContain('\ufffd')
})

test('a secret is masked wherever the output is cut', () => {
  for (let behind = 4070; behind < 4110; behind++)
    expect(failedOutputText(end(`a correct-horse ${'z'.repeat(behind)}`), host())).not.toMatch(/horse|correct/)
  for (const isWhole of [true, false])
    expect(
      failedOutputText(end(`${'b '.repeat(12_000)}correct-horse${' z'.repeat(2040)}`, isWhole), host()),
    ).not.toMatch(/horse|correct/)
  expect(failedOutputText(end(`horse ${'z '.repeat(20)}`, false), host()), 'the second part of one').not.toContain(
    'horse',
  )
})

test('only its owner can read the file, and a link in its place is not followed', () => {
  writeFileSync(join(root, 'other'), 'mine\n')
  symlinkSync(join(root, 'other'), join(root, 'failed.log'))
  expect(keepFailedOutput(root, end('reason\n'), host())).toBe(true)
  expect([statSync(join(root, 'failed.log')).mode & 0o777, statSync(join(root, 'other')).size]).toEqual([0o600, 5])
  expect(keepFailedOutput(root, end(''), host()), 'nothing to keep').toBe(false)
})
