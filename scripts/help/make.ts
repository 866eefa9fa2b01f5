/** Makes the files of `/help` from docs/ and sdk/. Writes them into a folder, from which the service serves them. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { copied, groups, served } from './documents.ts'
import { render } from './markdown.ts'
import { contentsPage, type Document, documentPage, notFoundPage, searchPage } from './pages.ts'
import { helpIndex } from './search.ts'

const root = join(import.meta.dirname, '../..')
const docs = join(root, 'docs')

/** The texts of the files by their paths, which packages/server/src/web/routes/help.ts derives from addresses. */
export function helpFiles(): Map<string, string> {
  const css = readFileSync(join(import.meta.dirname, 'help.css'), 'utf8')
  const sheet = `assets/help-${createHash('sha256').update(css).digest('hex').slice(0, 10)}.css`
  const styles = `/help/${sheet}`
  const documents = readDocuments()
  const all = [...documents.values()]
  return new Map([
    [sheet, css],
    ['contents.html', contentsPage(groups, documents, styles)],
    ['not-found.html', notFoundPage(styles)],
    ['search.html', searchPage(styles)],
    ['search.json', JSON.stringify(helpIndex(all))],
    ...copied.map((path): [string, string] => [`sdk/${basename(path)}`, readFileSync(join(root, path), 'utf8')]),
    ...all.map((document, at): [string, string] => [
      `documents/${document.name}.html`,
      documentPage(document, { next: all[at + 1], groups, documents, styles }),
    ]),
  ])
}

export function writeHelp(folder: string): void {
  for (const [path, text] of helpFiles()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** The documents that `/help` shows, by their names and in their order. */
export function readDocuments(): Map<string, Document> {
  const texts = served.map((name) => [name, readFileSync(join(docs, `${name}.md`), 'utf8')] as const)
  // A link to a document needs its title, so all titles are read first.
  const titles = new Map(texts.map(([name, text]) => [name, render(text, () => undefined).title]))
  return new Map(texts.map(([name, text]) => [name, { name, ...render(text, (other) => titles.get(other)) }]))
}
