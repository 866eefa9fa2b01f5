/** Searches the documents at `/help`, by an index that the build makes of them (scripts/help/search.ts). Pure. */
import { foldedText, typedWords } from './filter/index.ts'

/** A section of a document: its anchor, its heading, its first sentence, and the words that few sections have. */
type HelpEntry = readonly [anchor: string, heading: string, says: string, words: string]
/** The documents with their sections. The first section of each is the document itself, without an anchor. */
export type HelpIndex = readonly (readonly [name: string, title: string, sections: readonly HelpEntry[]])[]

/** A section of a document that matches the typed words. */
export interface HelpHit {
  address: string
  heading: string
  /** The title of the document. */
  document: string
  /** The first sentence of the section. */
  says: string
}

/** The best sections for the typed words, at most `max`, best first. A section must contain all typed words. */
export function helpFor(typed: string, index: HelpIndex, max: number): HelpHit[] {
  const wanted = typedWords(typed)
  const hits = index.flatMap(([name, document, sections]) =>
    sections.map(([anchor, heading, says, words]) => {
      const texts = [heading, document, says, words].map((text) => ` ${foldedText(text)}`)
      const score = wanted.map((word) => weights.find(([, at]) => hasWord(texts[at] ?? '', word))?.[0] ?? 0)
      return {
        score: score.includes(0) ? 0 : score.reduce((sum, one) => sum + one, anchor === '' ? 0.5 : 0),
        hit: { address: `/help/${name}${anchor && `#${anchor}`}`, heading, document, says },
      }
    }),
  )
  return hits
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, max)
    .map(({ hit }) => hit)
}

/**
 * The points for a typed word, by the place where a word begins with it: 0 is the heading, 1 the title of the document,
 * 2 the first sentence, and 3 the other words. The first place counts.
 */
const weights: readonly (readonly [points: number, text: number])[] = [
  [8, 0],
  [3, 1],
  [2, 2],
  [1, 3],
]

const hasWord = (text: string, word: string) => text.includes(` ${word}`)
