/**
 * Checks the English of comments, texts and documents, as far as a program can. `npm run check` runs this. If the
 * argument is a path, only files below that path are checked.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commentFindings, documentFindings, type Finding, phraseFindings } from './english/rules.ts'
import { isShipped } from './house/figures.ts'
import { readSources } from './house/read.ts'

const root = join(import.meta.dirname, '..')
const [only = ''] = process.argv.slice(2)
/** Files that are not checked: they quote what others wrote, or contain the phrases that the check must find. */
const left = ['scripts/english/phrases.ts', 'scripts/english/english.test.ts', 'packages/blueprint/testing/corpus']
const looksAt = (file: string) => file.startsWith(only) && !left.some((path) => file.startsWith(path))

const sources = [...(await readSources())].flatMap(([file, { comments, texts }]): Finding[] =>
  looksAt(file)
    ? [
        ...commentFindings(file, comments),
        ...(isShipped(file) ? texts : []).flatMap(({ line, text }) => phraseFindings(file, line, text)),
      ]
    : [],
)
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter(looksAt)
  .flatMap((file) => documentFindings(file, readFileSync(join(root, file), 'utf8')))

const findings = [...sources, ...documents]
for (const { file, line, says } of findings) console.log(`${file}:${line}: ${says}`)
process.exitCode = findings.length > 0 ? 1 : 0
