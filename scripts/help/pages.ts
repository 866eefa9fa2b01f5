/** The pages of `/help`: one for each document, the contents, and the page for an address that leads nowhere. */
import type { Group } from './documents.ts'
import { escapeHtml as escaped, type Heading, type RenderedDocument } from './markdown.ts'

export interface Document extends RenderedDocument {
  readonly name: string
}

interface Frame {
  /** The title of the window. */
  title: string
  /** The address of the style sheet. */
  styles: string
  main: string
  /** The content of the search field. */
  typed?: string
}

const addressOf = ({ name }: { name: string }): string => `/help/${name}`

/** The facts about all documents that the page of one shows. */
interface Surroundings {
  /** The document after this one. */
  next: Document | undefined
  groups: readonly Group[]
  documents: ReadonlyMap<string, Document>
  styles: string
}

/** The page of a document. At its side are its own headings and all documents. */
export function documentPage(document: Document, { next, groups, documents, styles }: Surroundings): string {
  const { title, html, headings } = document
  const contents = listOf(headings)
  const others = allDocuments(groups, documents, document)
  return framed({
    title: `${title} · Help`,
    styles,
    main: `<div class="columns">
<div class="aside">
${contents === '' ? '' : `<nav aria-label="On this page"><p>On this page</p>\n${contents}</nav>`}
<nav aria-label="All documents"><p>All documents</p>
${others}</nav>
</div>
<main id="document" tabindex="-1">
<h1>${escaped(title)}</h1>
${contents === '' ? '' : `<details class="folded"><summary>On this page</summary>\n${contents}</details>`}
<details class="folded"><summary>All documents</summary>
${others}</details>
<article>
${html}</article>
<p class="next">${next ? `Next: <a href="${addressOf(next)}">${escaped(next.title)}</a>` : '<a href="/help">All documents</a>'}</p>
</main>
</div>`,
  })
}

/** All documents as links, those of a group together. The one that is open is marked. */
const allDocuments = (groups: readonly Group[], documents: ReadonlyMap<string, Document>, open: Document): string => {
  const link = (name: string): string => {
    const { title } = documents.get(name) ?? open
    return `<li><a href="${addressOf({ name })}"${name === open.name ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`
  }
  return groups.map(({ documents: names }) => `<ul>\n${names.map(link).join('\n')}\n</ul>\n`).join('')
}

/** The page at `/help`, with a sentence about each document. */
export function contentsPage(
  groups: readonly Group[],
  documents: ReadonlyMap<string, Document>,
  styles: string,
): string {
  const line = (document: Document | undefined): string =>
    document
      ? `<li><a href="${addressOf(document)}">${escaped(document.title)}</a><p>${escaped(document.summary)}</p></li>`
      : ''
  const group = ({ title, documents: names }: Group): string =>
    `<section><h2>${escaped(title)}</h2>\n<ul class="documents">\n${names.map((name) => line(documents.get(name))).join('\n')}\n</ul></section>`
  return framed({
    title: 'Help',
    styles,
    main: `<main id="document" class="contents" tabindex="-1">
<h1>Help</h1>
<p>These documents belong to the version of svc that runs here. On the page, <kbd>Ctrl</kbd> <kbd>K</kbd> searches them, too.</p>
<div class="groups">
${groups.map(group).join('\n')}
</div>
</main>`,
  })
}

/** The page of a search. The service fills in the typed text and the results, which replace these marks. */
export const searchPage = (styles: string): string =>
  framed({
    title: 'Search · Help',
    styles,
    typed: '[[typed]]',
    main: `<main id="document" class="contents" tabindex="-1">
<h1>Search</h1>
[[results]]
<p class="next"><a href="/help">All documents</a></p>
</main>`,
  })

export const notFoundPage = (styles: string): string =>
  framed({
    title: 'Document not found · Help',
    styles,
    main: `<main id="document" class="contents" tabindex="-1">
<h1>Document not found</h1>
<p>There is no document at this address. It may have had another name in another version of svc.</p>
<p><a href="/help">See all documents</a></p>
</main>`,
  })

/** The headings as a list of links, with those of the third level inside those of the second. */
function listOf(headings: readonly Heading[]): string {
  const link = ({ id, text }: Heading): string => `<a href="#${escaped(id)}">${escaped(text)}</a>`
  const sections: { heading: Heading; inside: Heading[] }[] = []
  for (const heading of headings) {
    if (heading.level === 2) sections.push({ heading, inside: [] })
    else if (heading.level === 3) sections.at(-1)?.inside.push(heading)
  }
  if (sections.length === 0) return ''
  const list = (lines: string[]): string =>
    lines.length === 0 ? '' : `<ul>\n${lines.map((line) => `<li>${line}</li>`).join('\n')}\n</ul>\n`
  return list(sections.map(({ heading, inside }) => `${link(heading)}${list(inside.map(link))}`))
}

const framed = ({ title, styles, main, typed = '' }: Frame): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)} · svc</title>
<link rel="icon" type="image/svg+xml" href="/icon.svg">
<link rel="stylesheet" href="${styles}">
</head>
<body>
<a class="skip" href="#document">Skip to content</a>
<header>
<a href="/help" class="home">Help</a>
<form action="/help" role="search">
<input type="search" name="q" value="${typed}" maxlength="200" placeholder="Search" aria-label="Search the help">
<button>Search</button>
</form>
<a href="/">Back to svc</a>
</header>
${main}
</body>
</html>
`
