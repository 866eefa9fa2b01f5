/**
 * Checks the documents at `/help` as they are built: which there are, what they contain, and that links lead somewhere.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { HelpIndex } from '../../packages/api/src/help.ts'
import { internal, served } from './documents.ts'
import { helpFiles } from './make.ts'

const files = helpFiles()
const pages = [...files].filter(([path]) => path.endsWith('.html'))
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)
const linksOf = (html: string) => [...html.matchAll(/ href="([^"]+)"/g)].map(([, href = '']) => href)

/** True if an address on this service leads to a page of the help, and its anchor to a place on that page. */
function leadsSomewhere(address: string, from: string): boolean {
  const [path = '', anchor] = address.split('#')
  const file =
    path === '' ? from : path === '/help' ? 'contents.html' : path.replace('/help/', 'documents/').concat('.html')
  const html = files.get(file)
  return html !== undefined && (anchor === undefined || idsOf(html).includes(decodeURIComponent(anchor)))
}

test('each document of docs/ is shown at /help, or named as internal', () => {
  const all = readdirSync(join(import.meta.dirname, '../../docs')).filter((name) => name.endsWith('.md'))
  expect([...served, ...Object.keys(internal)].sort()).toEqual(all.map((name) => name.replace('.md', '')).sort())
  expect(served.map((name) => files.has(`documents/${name}.html`))).toEqual(served.map(() => true))
})

test.each(pages)('%s has no script, no inline style and no comment, and each id once', (_path, html) => {
  expect(html.match(/<script|<style|<iframe|<img|<!--| style=| on\w+=|javascript:/gi)).toBeNull()
  const ids = idsOf(html)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
})

test.each(pages)(
  'every link of %s leads somewhere, and the ones to the web tell nobody where one comes from',
  (path, html) => {
    const elsewhere = new Set(['/', '/icon.svg'])
    const dead = linksOf(html).filter(
      (href) =>
        !elsewhere.has(href) &&
        !/^https?:/.test(href) &&
        !files.has(href.slice('/help/'.length)) &&
        !leadsSomewhere(href, path),
    )
    expect(dead).toEqual([])
    for (const [link] of html.matchAll(/<a [^>]*href="https?:[^>]*>/g))
      expect(link).toContain('rel="noopener noreferrer"')
  },
)

test('the index of the help is below 60 KB, and each of its sections is one of a document', () => {
  const text = files.get('search.json') ?? ''
  expect(Buffer.byteLength(text)).toBeLessThan(60_000)
  const index = JSON.parse(text) as HelpIndex
  expect(index.map(([name]) => name)).toEqual(served)
  const addresses = index.flatMap(([name, , sections]) =>
    sections.map(([anchor]) => `/help/${name}${anchor && `#${anchor}`}`),
  )
  expect(addresses.length).toBeGreaterThan(100)
  expect(addresses.filter((address) => !leadsSomewhere(address, ''))).toEqual([])
  expect(text).not.toMatch(/&(lt|gt|quot);|<\/(p|code|a|td)>/)
})

test('the contents name each document with a sentence', () => {
  const contents = files.get('contents.html') ?? ''
  for (const name of served) expect(contents).toMatch(new RegExp(`href="/help/${name}">[^<]+</a><p>[^<]+[.!?]</p>`))
})
