/** Checks that the documents agree with the code: error codes, limits, rules that are cited, and links. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { limits, refusals } from '../packages/protocol/src/index.ts'
import { rulePlaces } from './generated/rules.ts'

const root = new URL('..', import.meta.url).pathname
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const protocol = read('docs/protocol.md')
const topics = globSync('docs/decisions/*.md', { cwd: root })

test.each(Object.entries(refusals).map(([code, [status]]) => [code, status]))(
  'protocol.md names the error code %s with status %i',
  (code, status) => {
    const row = protocol.split('\n').find((line) => line.startsWith(`| ${status} `) && line.includes(`\`${code}\``))
    expect(row).toBeDefined()
  },
)

const numbered = [
  '2.1',
  '2.2',
  '2.3',
  '2.4',
  '2.5',
  '2.6',
  '2.7',
  '2.8',
  '2.9',
  '2.10',
  '2.11',
  '2.12',
  '3.1',
  '3.2',
  '3.3',
  '3.4',
  '3.5',
  '3.6',
  '3.7',
]
test('protocol.md has every section that comments cite', () => {
  for (let i = 1; i <= 9; i++) expect(protocol).toMatch(new RegExp(`^## ${i}\\. `, 'm'))
  for (const section of numbered) expect(protocol).toMatch(new RegExp(`^### ${section.replace('.', '\\.')} `, 'm'))
})

test.each([
  [limits.label, 'label'],
  [limits.detail, 'detail'],
  [limits.runsKept, 'runs kept'],
  [limits.settingText, 'text setting'],
  [limits.url, 'url'],
  [limits.commandsPerAnswer, 'commands in an answer'],
  [limits.depth, 'nesting'],
  [limits.bundleEntries, 'bundle'],
  [limits.version, 'versions'],
])('protocol.md gives the limit %i for %s', (value, what) => {
  const section = protocol.slice(protocol.indexOf('## 8.'), protocol.indexOf('## 9.'))
  expect(section.split('\n').some((line) => line.includes(what) && line.includes(`${value}`))).toBe(true)
})

test('each rule and invariant has one heading, which links of an editor lead to', () => {
  const places = [...rulePlaces()]
  expect(places.length).toBeGreaterThan(80)
  expect(places.filter(([, files]) => files.length > 1)).toEqual([])
})

test('an entry of docs/decisions has at most fifteen lines', () => {
  const long = topics.flatMap((file) =>
    read(file)
      .split(/^(?=#{2,3} )/m)
      .slice(1)
      .filter((entry) => !file.endsWith('kills.md') && !/<!-- generated/.test(entry))
      .flatMap((entry) => {
        const [heading = '', ...lines] = entry.split('\n').filter((line) => line.trim() !== '')
        return lines.length > 15 ? [`${file}: ${heading}, ${lines.length} lines`] : []
      }),
  )
  expect(long).toEqual([])
})

test('every rule that code or documents cite is in docs/decisions', () => {
  const known = new Set(rulePlaces().keys())
  const files = globSync(['packages/*/src/**/*.{ts,tsx}', 'docs/**/*.md', 'conformance/**/*.json'], { cwd: root })
  const missing = files.flatMap((file) =>
    [...read(file).matchAll(/\b(D\d{1,2}|I[1-9]\d?)\b/g)].flatMap(([, rule = '']) =>
      known.has(rule) ? [] : [`${file}: ${rule}`],
    ),
  )
  expect(missing).toEqual([])
})

test.each(['docs/protocol.md', ...topics, 'docs/report-from-anything.md', 'conformance/README.md'])(
  'every link of %s leads to something',
  (file) => {
    const links = [
      ...read(file)
        .replace(/`[^`]*`/g, '')
        .matchAll(/\]\((?!https?:)([^)]+)\)/g),
    ].map((match) => match[1] ?? '')
    for (const link of links) {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? file : join(dirname(file), path)
      expect(existsSync(join(root, target)), link).toBe(true)
      if (anchor)
        expect(
          read(target)
            .split('\n')
            .filter((line) => line.startsWith('#'))
            .map(slug),
          link,
        ).toContain(anchor)
    }
  },
)

/** The anchor of a Markdown heading, formed as code hosts such as GitHub do it. */
const slug = (heading: string) =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

test('the image is built from the package alone, and takes no secrets of its folder along', () => {
  const lines = read('docs/deploy/Dockerfile').split('\n')
  const copied = lines.filter((line) => /^(COPY|ADD) /.test(line) && !line.includes('--from='))
  expect(copied).toEqual(['COPY svc-server-*.tgz /tmp/'])
  expect(read('docs/deploy/Dockerfile.dockerignore')).toBe('*\n!svc-server-*.tgz\n')
})

test('no document installs a package of our name from a registry, which may be of somebody else', () => {
  const documents = globSync(['*.md', 'docs/**/*.md', 'docs/deploy/*', 'packages/server/package/*'], { cwd: root })
  const lines = documents.flatMap((file) => read(file).split('\n'))
  const installing = lines.filter((line) => /\b(npm (i|install|add)|npx)\b.*svc-server\S*\.tgz/.test(line))
  expect(installing.length).toBeGreaterThan(4)
  const named = /\b(npm (i|install|add) (-\S+ )*|npx --yes )(?!\.\/|\/)svc-server/
  expect(lines.filter((line) => named.test(line))).toEqual([])
})

test('the systemd unit leaves its settings to the file that the operator’s commands read, too', () => {
  const unit = read('docs/deploy/svc.service')
  expect(unit).not.toMatch(/^Environment/m)
  expect(unit).toMatch(/^WorkingDirectory=\/opt\/svc$/m)
})

test('the glossary explains each word once, and says which words are not used', () => {
  const rows = [
    ...read('docs/glossary.md').matchAll(/^\| \*\*(.+?)\*\*(?:, \*\*(.+?)\*\*)?(?: \(.+?\))? +\| (.+) \| (.+) \|$/gm),
  ]
  const words = rows.flatMap(([, word, second]) => [word, second].filter((one) => one !== undefined))
  expect(words.length).toBeGreaterThanOrEqual(40)
  expect(words.filter((word, i) => words.indexOf(word) !== i)).toEqual([])
})
