/**
 * Serves `/help` and `/help/NAME`: the documents of docs/, which the build renders (scripts/help), the index with which
 * the page searches them, and the files of sdk/, which people copy beside their programs. Nobody has to sign in. A
 * document has exactly one address; a slash at its end and upper case lead to it. The folder is listed like that of the
 * page, so requests for other addresses take no memory.
 */
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { getCookie } from 'hono/cookie'
import { howToComplete } from '../../platform/installed.ts'
import { helpPolicy } from '../routing/headers.ts'
import { filesOf, type PageContext, type PageFile, sendFile } from './static.ts'
import { rawPathOf } from './target.ts'

export function helpRoutes(dir: string, clock: () => number = () => performance.now()) {
  const files = filesOf(dir, clock)
  const fileAt = (path: string) => files(nameOf(path) ?? '')

  const answer = async (c: PageContext): Promise<Response> => {
    c.header('content-security-policy', helpPolicy)
    const path = rawPathOf(c.env.incoming.url ?? '')
    const file = fileAt(path)
    if (file) return inScheme(c, file) ?? sendFile(c, file)
    const plain = path.toLowerCase().replace(/\/$/, '')
    if (fileAt(plain)) return c.redirect(plain, 308)
    const missing = files('/not-found.html')
    return missing ? sendFile(c, missing, 404) : c.html(notBuilt, 404, { 'cache-control': 'no-store' })
  }
  return new Hono<{ Bindings: HttpBindings }>().get('/help', answer).get('/help/*', answer)
}

/**
 * The document in the colour scheme that the person chose on the page, which tells it with a cookie; undefined if the
 * system decides.
 */
function inScheme(c: PageContext, { type, bytes }: PageFile): Response | undefined {
  const scheme = getCookie(c, 'svc-scheme')
  if ((scheme !== 'light' && scheme !== 'dark') || !type.startsWith('text/html')) return undefined
  const html = bytes.toString().replace('<html ', `<html data-scheme="${scheme}" `)
  return c.html(html, 200, { 'cache-control': 'no-store' })
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
<p>${howToComplete}</p>
<p><a href="/">Back to svc</a></p></html>`
