import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { containedIn, noticesOf } from './notices.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-notices-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Creates a package in a `node_modules` folder for the test, and returns the path of a module in it. */
function installed(folder: string, files: Readonly<Record<string, string>>, manifest: object = {}): string {
  const place = join(root, 'node_modules', folder)
  const name = folder.split('node_modules/').at(-1)
  const all = { 'package.json': JSON.stringify({ name, version: '1.2.3', license: 'MIT', ...manifest }), ...files }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    writeFileSync(join(place, path), text)
  }
  return join(place, 'lib/index.js')
}

test('each package is named once, with its version, its licence and the licence text', () => {
  const plain = installed('plain', { LICENSE: 'Copyright of plain\r\nAs is.  \n' })
  const scoped = installed('@scope/name', { 'LICENCE.md': 'Copyright of scope' }, { license: 'ISC' })
  const text = noticesOf('It', containedIn([plain, plain.replace('index', 'more'), scoped, join(root, 'own/main.ts')]))
  expect(text.match(/^\S+ 1\.2\.3 \(\w+\)$/gm)).toEqual(['@scope/name 1.2.3 (ISC)', 'plain 1.2.3 (MIT)'])
  expect(text).toContain('It contains 2 libraries')
  expect(text).toContain('Copyright of plain\nAs is.\n')
  expect(text).toContain('Copyright of scope')
})

test('a package inside another is listed separately, and so are two versions', () => {
  const outer = installed('outer', { LICENSE: 'Outer' })
  const inner = installed('outer/node_modules/inner', { LICENSE: 'Inner, old' }, { version: '0.9.0' })
  const newer = installed('inner', { LICENSE: 'Inner' })
  expect(containedIn([newer, inner, outer]).map(({ name, version }) => `${name} ${version}`)).toEqual([
    'inner 0.9.0',
    'inner 1.2.3',
    'outer 1.2.3',
  ])
})

test('further texts that a package asks to pass on are included', () => {
  const apache = installed('apache', { LICENSE: 'Apache', NOTICE: 'Made by somebody' }, { license: 'Apache-2.0' })
  expect(noticesOf('It', containedIn([apache]))).toContain('Apache\n\nMade by somebody')
})

test('a package without a licence text fails the build and is named', () => {
  const bare = installed('bare', { 'licenses.js': 'no text' })
  expect(() => noticesOf('svc.pyz', containedIn([bare]))).toThrow(
    'svc.pyz contains bare 1.2.3 (MIT), which brings no licence text. Put the one of its sources into building/licences/bare.txt, or use another package.',
  )
})

test('a package that names no licence fails the build and is named', () => {
  const nameless = installed('nameless', { LICENSE: 'Some text' }, { license: undefined })
  expect(() => noticesOf('svc.pyz', containedIn([nameless]))).toThrow(
    'svc.pyz contains nameless 1.2.3, whose package.json names no licence.',
  )
})

test('every licence text kept in this repository belongs to a package that has none, or to libraries inside one', () => {
  for (const file of readdirSync(join(import.meta.dirname, 'licences'))) {
    const folder = join(import.meta.dirname, '../node_modules', file.replace('.txt', '').replace('+', '/'))
    const own = readdirSync(folder).filter((name) => /licen[cs]e/i.test(name))
    const texts = containedIn([join(folder, 'index.js')])[0]?.texts ?? []
    expect([file, texts.length]).toEqual([file, own.length + 1])
    expect(texts.at(-1)).toContain('Copyright')
    if (own.length > 0) expect(texts.at(-1)).toMatch(/^It contains these libraries/)
  }
})

test('the libraries inside the files of the protocol’s library are those whose licences are kept', () => {
  const dist = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/server/dist')
  const sources = readdirSync(dist).filter((name) => /^(ajvProvider|src|mcp|stdio|index|shimsNode).*\.mjs$/.test(name))
  const regions = sources.flatMap((name) => readFileSync(join(dist, name), 'utf8').match(/^\/\/#region .*$/gm) ?? [])
  const inside = regions.flatMap(
    (line) => /\/node_modules\/(?!\.pnpm)((?:@[^/]+\/)?[^/]+)\/[^/].*$/.exec(line)?.[1] ?? [],
  )
  const kept = readFileSync(join(import.meta.dirname, 'licences/@modelcontextprotocol+server.txt'), 'utf8')
  expect([...new Set(inside)].sort()).toEqual([...kept.matchAll(/\n\n([a-z-]+)\n\n/g)].map(([, name]) => name))
})
