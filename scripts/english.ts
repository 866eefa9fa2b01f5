/** Our English, as far as a program can judge it; run by `npm run check`. `--all` looks at what is not covered yet, too. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isCovered } from './english/covered.ts'
import { commentFindings, documentFindings, type Finding, phraseFindings } from './english/rules.ts'
import { isShipped } from './house/figures.ts'
import { readSources } from './house/read.ts'

const root = join(import.meta.dirname, '..')
const [only] = process.argv.slice(2).filter((argument) => argument !== '--all')
const looksAt = (file: string) =>
  only === undefined ? process.argv.includes('--all') || isCovered(file) : file.startsWith(only)

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
