/** Checks that the pages for operators name every variable, command and metric, and that their links lead to files. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../packages/server/src/operator/commands/all.ts'
import { variableWords } from '../packages/server/src/service/config.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const operator = read('docs/operator.md')

test.each(Object.keys(variableWords))('operate.md explains %s', (name) => {
  expect(read('docs/operate.md')).toMatch(new RegExp(`^\\| \`${name}\` +\\|`, 'm'))
})

test('operator.md names every command of svc-server', () => {
  const table = operator.slice(operator.indexOf('## Commands'), operator.indexOf('## Backup'))
  const isNamed = (name: string) => {
    const [noun = '', verb] = name.split(' ')
    return table
      .split('\n')
      .some((line) => line.includes(`\`${noun}`) && (!verb || new RegExp(`\\b${verb}\\b`).test(line)))
  }
  expect([...Object.keys(commands), 'start', 'restore'].filter((name) => !isNamed(name))).toEqual([])
})

test('operator.md names every metric of ours', () => {
  const sources = ['metrics', 'alert-metrics', 'fleet-metrics'].map((name) =>
    read(`packages/server/src/service/ops/${name}.ts`),
  )
  const names = [...sources.join('\n').matchAll(/'(svc_[a-z_]+)'|^ {2}(svc_[a-z_]+):/gm)].map(
    ([, quoted, key]) => quoted ?? key ?? '',
  )
  expect(names.length).toBeGreaterThan(22)
  expect(names.filter((name) => !operator.includes(name))).toEqual([])
})

const pages = [
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs/operator.md',
  'docs/operate.md',
  'docs/operations.md',
  'docs/architecture.md',
  'docs/dependencies.md',
]
test.each(pages)('every link of %s leads somewhere', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link]) => link ?? '')
  const local = links.filter((link) => !/^https?:/.test(link))
  expect(local.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([])
})

test('the README has at most 700 words, and none of its pictures is above 150 KB', () => {
  const readme = read('README.md')
  expect(readme.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(700)
  const pictures = [...readme.matchAll(/docs\/screenshots\/[a-z]+\.png/g)].map(([path]) => path)
  expect(pictures).toHaveLength(3)
  expect(pictures.filter((path) => statSync(join(root, path)).size > 150_000)).toEqual([])
})

test('every page in docs/ is reached from the README', () => {
  const readme = read('README.md')
  expect(globSync('docs/*.md', { cwd: root }).filter((page) => !readme.includes(`(${page})`))).toEqual([])
})
