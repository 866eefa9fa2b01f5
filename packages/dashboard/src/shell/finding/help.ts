/** Searches the documents at `/help`, by an index that the build makes of them (scripts/help/search.ts). */
import { foldedText, typedWords } from '@svc/api/filter'
import { trimInvisible } from '@svc/protocol'
import { useQuery } from '@tanstack/react-query'

/** A section of a document: its anchor, its heading, its first sentence, and the words that few sections have. */
type Section = readonly [anchor: string, heading: string, says: string, words: string]
export type HelpIndex = readonly (readonly [name: string, title: string, sections: readonly Section[]])[]

export interface HelpHit {
  address: string
  heading: string
  /** The title of the document. */
  document: string
}

/** The maximum number of sections that are listed. */
const most = 5

/** The sections that fit what is typed. The index is loaded at the first key; without it, nothing is found. */
export function useHelp(typed: string): HelpHit[] {
  const isTyped = trimInvisible(typed).length > 1
  const { data } = useQuery({
    queryKey: ['help'],
    queryFn: ({ signal }) => loadIndex(signal),
    enabled: isTyped,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return isTyped && data ? helpFor(typed, data) : []
}

/** Loads the index. A node of an earlier version has none, and answers 404. */
export async function loadIndex(signal: AbortSignal): Promise<HelpIndex> {
  const answer = await fetch('/help/search.json', { signal })
  if (!answer.ok) throw new Error(`The index of the help is not there: ${answer.status}`)
  return await answer.json()
}

/** The best sections for what is typed, best first. Each typed word must occur, and a heading counts most. */
export function helpFor(typed: string, index: HelpIndex): HelpHit[] {
  const wanted = typedWords(typed)
  const hits = index.flatMap(([name, document, sections]) =>
    sections.map(([anchor, heading, says, words]) => {
      const places = [heading, document, says, words].map((text) => ` ${foldedText(text)}`)
      const score = wanted.map((word) => weights.find(([, at]) => hasWord(places[at] ?? '', word))?.[0] ?? 0)
      return {
        score: score.includes(0) ? 0 : score.reduce((sum, one) => sum + one, anchor === '' ? 0.5 : 0),
        hit: { address: `/help/${name}${anchor && `#${anchor}`}`, heading, document },
      }
    }),
  )
  return hits
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ hit }) => hit)
}

/** The points for a word, by the place in which it begins a word: heading, title, first sentence, other words. */
const weights: readonly (readonly [points: number, place: number])[] = [
  [8, 0],
  [3, 1],
  [2, 2],
  [1, 3],
]

const hasWord = (text: string, word: string) => text.includes(` ${word}`)
