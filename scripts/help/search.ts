/** Makes the index by which the palette and `/help` itself search the documents. */
import type { HelpIndex } from '../../packages/api/src/help.ts'
import type { Document } from './pages.ts'

/** The share of all sections above which a word does not tell one section from another. */
const rareShare = 0.04
/** The maximum length of a first sentence in the index. */
const maxSentence = 90

export function helpIndex(documents: readonly Document[]): HelpIndex {
  const sections = documents.map((document) => ({ document, parts: partsOf(document) }))
  const all = sections.flatMap(({ parts }) => parts.map(({ text }) => wordsIn(text)))
  const times = new Map<string, number>()
  for (const words of all) for (const word of words) times.set(word, (times.get(word) ?? 0) + 1)
  const isRare = (word: string) => (times.get(word) ?? 0) <= all.length * rareShare
  return sections.map(({ document, parts }) => [
    document.name,
    document.title,
    parts.map(({ anchor, heading, says, text }) => {
      const named = wordsIn(`${heading} ${says}`)
      return [anchor, heading, says, [...wordsIn(text)].filter((word) => isRare(word) && !named.has(word)).join(' ')]
    }),
  ])
}

interface Part {
  anchor: string
  heading: string
  /** The first sentence. */
  says: string
  text: string
}

/** The sections of a rendered document, in its order, as plain text. */
function partsOf({ title, html }: Document): Part[] {
  const pieces = html.split(/<h[23] id="([^"]+)">(.*?)<\/h[23]>/s)
  const part = (anchor: string, heading: string, inside = ''): Part => ({
    anchor,
    heading,
    says: sentenceIn(plain(inside.replaceAll(/<table[\s\S]*?<\/table>/g, ' '))),
    text: plain(inside),
  })
  const parts = [part('', title, pieces[0])]
  for (let at = 1; at < pieces.length; at += 3)
    parts.push(part(pieces[at] ?? '', plain(pieces[at + 1] ?? ''), pieces[at + 2]))
  return parts
}

/** The text of rendered HTML, without blocks of code. */
const plain = (html: string): string =>
  html
    .replaceAll(/<pre[\s\S]*?<\/pre>/g, ' ')
    .replaceAll(/<\/(p|li|t[dh]|h\d)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(lt|gt|quot|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"' })[name] ?? '&')
    .replaceAll(/\s+/g, ' ')
    .trim()

const wordsIn = (text: string): Set<string> => new Set(text.toLowerCase().match(/[a-z][a-z_-]{3,}[a-z]/g) ?? [])

function sentenceIn(text: string): string {
  const [first = ''] = /^.*?[.!?:](?= |$)/.exec(text) ?? [text]
  return first.length <= maxSentence ? first : `${first.slice(0, first.lastIndexOf(' ', maxSentence))} …`
}
