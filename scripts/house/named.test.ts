/** Checks that the source files that comments and documents name exist. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSources } from './read.ts'

const root = join(import.meta.dirname, '../..')
const sources = await readSources()

/**
 * The names of source files in a text, with what precedes them in the path. An ending alone, such as `.http.test.ts`,
 * is not a name.
 */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\w./@-])(?:\.{1,2}\/)*((?:[\w.-]+\/)*\w[\w.-]*\.(?:tsx?|mts))\b/g)].flatMap(
    ([, name]) => name ?? [],
  )

/** The ends of the paths of all source files, such as `live/hub.ts`. */
const ends = new Set(
  [...sources.keys()].flatMap((file) => file.split('/').map((_, i, parts) => parts.slice(i).join('/'))),
)

test('a file that a comment names exists', () => {
  const missing = [...sources].flatMap(([file, { comments }]) =>
    comments.flatMap(({ line, text }) =>
      namedIn(text)
        .filter((name) => !ends.has(name))
        .map((name) => `${file}:${line} names ${name}`),
    ),
  )
  expect(missing).toEqual([])
})

test('a source file that a document names exists', () => {
  const documents = globSync(['*.md', '{docs,packages,examples,conformance,bench,testing}/**/*.md'], {
    cwd: root,
    exclude: ['**/node_modules/**', 'CHANGELOG.md'],
  })
  const missing = documents.flatMap((file) =>
    namedIn(readFileSync(join(root, file), 'utf8'))
      .filter((name) => !ends.has(name))
      .map((name) => `${file} names ${name}`),
  )
  expect([documents.length > 20, missing]).toEqual([true, []])
})

test('names of files are found in a sentence', () => {
  const text = 'As web/live/hub.ts does (../a/b.tsx, `c.mts`), but not `.http.test.ts`, node.js or a.tsv.'
  expect(namedIn(text)).toEqual(['web/live/hub.ts', 'a/b.tsx', 'c.mts'])
})
