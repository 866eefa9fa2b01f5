/**
 * Serves `/help` and `/help/NAME`: the documents of docs/, which the build renders (scripts/help), the results of a
 * search (`/help?q=`), the index with which the page searches them, and the files of sdk/, which people copy beside
 * their programs. Nobody has to sign in. An address with upper case or a slash at its end is redirected.
 */
import type { HttpBindings } from '@hono/node-server'
import { type HelpHit, type HelpIndex, helpFor } from '@svc/api/help'
import { Hono } from 'hono'
import { getCookie } from 'hono/cookie'
import { escapeHtml } from '../../platform/http/person-page.ts'
import { missingBuildHtml } from '../../platform/installed.ts'
import { helpPolicy } from '../routing/headers.ts'
import { fileFinder, type PageContext, type PageFile, sendFile } from './static.ts'
import { rawPathOf } from './target.ts'

/** The maximum number of characters of a search, and of sections that it lists. */
const maxTyped = 200
const maxHits = 20

export function helpRoutes(dir: string, clock: () => number = () => performance.now()) {
  const files = fileFinder(dir, clock)
  const fileAt = (path: string) => files(nameOf(path) ?? '')

  const find = finderIn(files)

  const answer = async (c: PageContext): Promise<Response> => {
    c.header('content-security-policy', helpPolicy)
    const path = rawPathOf(c.env.incoming.url ?? '')
    const typed = path === '/help' ? c.req.query('q') : undefined
    const found = typed === undefined ? undefined : find(typed)
    if (found !== undefined) return c.html(withColourScheme(c, found), 200, { 'cache-control': 'no-store' })
    const file = fileAt(path)
    if (file) return answerInColourScheme(c, file) ?? sendFile(c, file)
    const plain = path.toLowerCase().replace(/\/$/, '')
    if (fileAt(plain)) return c.redirect(plain, 308)
    const missing = files('/not-found.html')
    return missing ? sendFile(c, missing, 404) : c.html(notBuilt, 404, { 'cache-control': 'no-store' })
  }
  return new Hono<{ Bindings: HttpBindings }>().get('/help', answer).get('/help/*', answer)
}

/**
 * The answer with a document in the colour scheme that the person chose on the page, which stores the choice in a
 * cookie. Undefined if the system decides the scheme, and for files that are no documents.
 */
function answerInColourScheme(c: PageContext, { type, bytes }: PageFile): Response | undefined {
  if (colourSchemeOf(c) === undefined || !type.startsWith('text/html')) return undefined
  return c.html(withColourScheme(c, bytes.toString()), 200, { 'cache-control': 'no-store' })
}

function colourSchemeOf(c: PageContext): 'light' | 'dark' | undefined {
  const scheme = getCookie(c, 'svc-scheme')
  return scheme === 'light' || scheme === 'dark' ? scheme : undefined
}

function withColourScheme(c: PageContext, html: string): string {
  const scheme = colourSchemeOf(c)
  return scheme === undefined ? html : html.replace('<html ', `<html data-scheme="${scheme}" `)
}

/**
 * Returns the function that answers a search with the page of its results; undefined for a search without words, and
 * while the help is not built. The index is read once for each build.
 */
function finderIn(files: (path: string) => PageFile | undefined): (typed: string) => string | undefined {
  let read: { file: PageFile; index: HelpIndex } | undefined
  return (given) => {
    const [file, frame] = [files('/search.json'), files('/search.html')]
    if (!file || !frame) return undefined
    if (read?.file !== file) read = { file, index: JSON.parse(file.bytes.toString()) }
    const typed = given.slice(0, maxTyped)
    if (typed.trim() === '') return undefined
    const hits = helpFor(typed, read.index, maxHits)
    return frame.bytes
      .toString()
      .replace('[[typed]]', () => escapeHtml(typed))
      .replace('[[results]]', () => resultsOf(typed, hits))
  }
}

function resultsOf(typed: string, hits: readonly HelpHit[]): string {
  if (hits.length === 0) return `<p>No section has all words of “${escapeHtml(typed)}”.</p>`
  const line = ({ address, heading, document, says }: HelpHit): string =>
    `<li><a href="${escapeHtml(address)}">${escapeHtml(heading)}</a><p>${escapeHtml(
      document === heading ? says : `${document}: ${says}`,
    )}</p></li>`
  return `<p>${hits.length === 1 ? '1 section' : `${hits.length} sections`} for “${escapeHtml(typed)}”</p>
<ul class="documents">
${hits.map(line).join('\n')}
</ul>`
}

/** The path, in the folder of the help, of the file at an address; undefined for an address that no file can have. */
function nameOf(path: string): string | undefined {
  if (path === '/help') return '/contents.html'
  if (path === '/help/search.json') return '/search.json'
  const document = /^\/help\/([a-z0-9-]+)$/.exec(path)?.[1]
  if (document !== undefined) return `/documents/${document}.html`
  return /^\/help(\/(?:assets|sdk)\/[\w.-]+)$/.exec(path)?.[1]
}

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Help · svc</title>
<h1>The help is not built yet</h1>
<p>${missingBuildHtml}</p>
<p><a href="/">Back to svc</a></p></html>`
