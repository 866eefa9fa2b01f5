/**
 * Renders a document of docs/ as HTML for `/help`. The HTML has no script, no image and no inline style. HTML in a
 * document is shown as text, except for comments, which are left out, and line breaks, which tables need.
 */
import MarkdownIt, { type Token } from 'markdown-it'

export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}
export interface RenderedDocument {
  readonly title: string
  /** The first sentence of the document, as plain text. */
  readonly summary: string
  /** The document as HTML, without its title. */
  readonly html: string
  /** The headings below the title. */
  readonly headings: readonly Heading[]
}
/** Returns the title of a document that `/help` shows, and undefined for any other name. */
export type TitleOf = (name: string) => string | undefined

// The parser recognises HTML, and the rules below decide about each piece of it.
const parser = new MarkdownIt({ html: true })
export const { escapeHtml } = parser.utils

const contentOf = (tokens: readonly Token[], at: number): string => tokens[at]?.content ?? ''
const htmlAsText = (html: string): string => escapeHtml(html.replaceAll(/<!--[\s\S]*?-->/g, ''))
/** Long lines of code scroll inside their box. The tab stop lets people scroll it with the keyboard. */
const code = (tokens: readonly Token[], at: number): string =>
  `<pre tabindex="0"><code>${escapeHtml(contentOf(tokens, at))}</code></pre>\n`

Object.assign(parser.renderer.rules, {
  html_block: (tokens, at) => htmlAsText(contentOf(tokens, at)),
  html_inline: (tokens, at) =>
    /^<br ?\/?>$/i.test(contentOf(tokens, at)) ? '<br>' : htmlAsText(contentOf(tokens, at)),
  fence: code,
  code_block: code,
  image: (tokens, at, options, env, renderer) =>
    escapeHtml(renderer.renderInlineAsText(tokens[at]?.children ?? [], options, env)),
  table_open: () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n',
  table_close: () => '</table></div>\n',
} satisfies typeof parser.renderer.rules)

export function render(markdown: string, titleOf: TitleOf): RenderedDocument {
  const tokens = parser.parse(markdown, {})
  const anchors = new Map<string, number>()
  const headings: Heading[] = []
  let summary: string | undefined
  for (const [at, token] of tokens.entries()) {
    const { children, attrs } = token
    if (children) relink(children, titleOf)
    if (token.type === 'heading_open') {
      const text = textOf(tokens[at + 1]?.children)
      const id = unusedAnchor(text, anchors)
      token.attrSet('id', id)
      headings.push({ level: Number(token.tag.slice(1)), id, text })
    }
    if (token.type === 'paragraph_open') summary ??= firstSentence(textOf(tokens[at + 1]?.children))
    // A heading without words says nothing to people who hear the table, so the cell becomes a plain one.
    if (token.type === 'th_open' && contentOf(tokens, at + 1) === '')
      for (const part of [token, tokens[at + 2]]) if (part) part.tag = 'td'
    // The policy of the pages forbids inline styles, with which the parser aligns columns.
    if (attrs)
      token.attrs = attrs.map(([name, value]) =>
        name === 'style' ? ['class', alignment(String(value))] : [name, value],
      )
  }
  const [title, ...rest] = headings
  if (title?.level !== 1 || tokens[0]?.type !== 'heading_open')
    throw new Error('A document begins with its title, a heading of the first level.')
  return {
    title: title.text,
    summary: summary ?? '',
    html: parser.renderer.render(tokens.slice(3), parser.options, {}),
    headings: rest,
  }
}

/** The anchor of a heading, formed as code hosts such as GitHub do it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** The anchor of a heading; with a number if the document has used the anchor before. */
function unusedAnchor(heading: string, used: Map<string, number>): string {
  const anchor = anchorOf(heading)
  const times = used.get(anchor) ?? 0
  used.set(anchor, times + 1)
  return times === 0 ? anchor : `${anchor}-${times}`
}

/**
 * Directs links to documents and to files of sdk/ to `/help`, and keeps links to the web. Any other link, such as one
 * to another file of the checkout, becomes its text.
 */
function relink(tokens: Token[], titleOf: TitleOf): void {
  const open: Token[] = []
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'link_open') {
      const href = String(token.attrGet('href') ?? '')
      const target = targetOf(href, titleOf)
      token.hidden = target === undefined
      token.attrs = target ?? null
      open.push(token)
      const text = tokens[at + 1]
      const title = titleOf(documentOf(href)?.name ?? '')
      // The names of files mean nothing to people who read the documents here.
      if (title !== undefined && text?.type === 'text' && /^[\w-]+\.md$/.test(text.content)) text.content = title
    }
    if (token.type === 'link_close') token.hidden = open.pop()?.hidden ?? true
  }
}

/** The attributes of a link to this address; undefined if the link leads to nothing that people can open here. */
function targetOf(href: string, titleOf: TitleOf): [string, string][] | undefined {
  if (/^https?:\/\//i.test(href))
    return [
      ['href', href],
      ['rel', 'noopener noreferrer'],
    ]
  if (/^#/.test(href)) return [['href', href]]
  const file = /^\.\.\/sdk\/\w+\/([\w.-]+)$/.exec(href)?.[1]
  if (file !== undefined) return [['href', `/help/sdk/${file}`]]
  const document = documentOf(href)
  if (document === undefined || titleOf(document.name) === undefined) return undefined
  return [['href', `/help/${document.name}${document.anchor}`]]
}

function documentOf(href: string): { name: string; anchor: string } | undefined {
  const [, name, anchor = ''] = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return name === undefined ? undefined : { name, anchor }
}

const alignment = (style: string): string => /right|center/.exec(style)?.[0] ?? 'left'

const textOf = (tokens: readonly Token[] | null | undefined): string =>
  (tokens ?? [])
    .map(({ type, content }) => {
      if (type === 'softbreak' || type === 'hardbreak') return ' '
      return type === 'text' || type === 'code_inline' ? content : ''
    })
    .join('')

const firstSentence = (text: string): string => /^.+?[.!?](?=\s|$)/.exec(text)?.[0] ?? text
