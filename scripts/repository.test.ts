/** Checks files that everybody who uses this repository relies on, such as licences and cited documents. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { places } from '../testing/places.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const licence = 'Apache-2.0'

test('the licence is the same in LICENSE, in the README and in every package.json', () => {
  expect(read('LICENSE')).toContain('Apache License\n                           Version 2.0')
  expect(read('README.md')).toContain(`[${licence}](LICENSE)`)
  const packages = ['package.json', ...globSync('packages/*/package.json', { cwd: root })]
  expect(packages.length).toBeGreaterThan(4)
  for (const file of packages) expect([file, JSON.parse(read(file)).license]).toEqual([file, licence])
})

test('.nvmrc names a Node that the packages accept', () => {
  const lowest = /^>=(\d+)$/.exec(JSON.parse(read('package.json')).engines.node)?.[1]
  expect(Number(read('.nvmrc'))).toBeGreaterThanOrEqual(Number(lowest))
})

const sources = globSync(
  places.flatMap((place) => [`${place}/**/*.{ts,tsx,css,py,sh}`]),
  { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|\.cache)$/.test(path) },
)
/** Returns the lines of a source file that contain a comment or the name of a test. */
const cited = (text: string) =>
  text.split('\n').filter((line) => /^\s*(\/?\*|\/\/|#)|^\s*(test|describe)\S*\(|\s\/\/ /.test(line))

test('every document that a comment or test name cites is in the repository', () => {
  expect(sources.length).toBeGreaterThan(900)
  const missing = sources.flatMap((file) =>
    cited(read(file))
      .flatMap((line) => line.match(/(?<![\w./<*-])[a-zA-Z][\w/-]*\.md\b/g) ?? [])
      .filter(
        (path) =>
          path !== 'AGENT.md' && !['.', 'docs', dirname(file)].some((from) => existsSync(resolve(root, from, path))),
      )
      .map((path) => `${file}: ${path}`),
  )
  expect(missing).toEqual([])
})

test('every file and folder that a document names as code is in the repository', () => {
  const documents = globSync(['*.md', 'docs/**/*.md', 'conformance/*.md', 'examples/**/*.md'], { cwd: root })
  expect(documents.length).toBeGreaterThan(20)
  const named = documents.flatMap((file) =>
    [...read(file).matchAll(new RegExp(`\`((?:${places.join('|')})/[\\w./-]+)\``, 'g'))].map(([, path = '']) => ({
      file,
      path,
    })),
  )
  expect(named.filter(({ path }) => !existsSync(resolve(root, path)))).toEqual([])
})

test('no document installs the service from a registry, where its name may belong to somebody else', () => {
  const documents = globSync(['*.md', 'docs/**/*.md', 'packages/*/package/*.md'], { cwd: root })
  const commands = documents.flatMap((file) => [...read(file).matchAll(/\b(?:npm|npx) [^\n`]*svc-server\S*/g)])
  const fetching = commands.map(([line]) => line).filter((line) => /^npm (i|install|add)\b|^npx --yes/.test(line))
  expect(fetching.length).toBeGreaterThan(3)
  expect(fetching.filter((line) => !/ \S*\/\S*svc-server-\S+$/.test(line))).toEqual([])
})

test('no document takes the files for programs from a registry, where their names may belong to somebody else', () => {
  const documents = globSync(['*.md', 'docs/**/*.md', 'sdk/**/*.{py,mjs,mts}'], { cwd: root })
  expect(documents.filter((file) => /\b(npm|npx|pip3?|pipx|uv)\b[^\n`]*svc[-_]status/.test(read(file)))).toEqual([])
})

test('a numbered section is one of the contract; other documents are cited by their path', () => {
  const others = sources.flatMap((file) =>
    cited(read(file)).flatMap((line) =>
      (line.match(/\b(rules|design|style|decisions|architecture|page|tech),? (section|§) ?\d/gi) ?? []).map(
        (text) => `${file}: ${text}`,
      ),
    ),
  )
  expect(others).toEqual([])
})

test.each(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', '.github/PULL_REQUEST_TEMPLATE.md'])(
  'every command and every link in %s exists',
  (file) => {
    const { scripts } = JSON.parse(read('package.json'))
    const commands = [...read(file).matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name)
    expect(commands.filter((name) => !(name in scripts))).toEqual([])
    const links = [...read(file).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path)
    expect(links.filter((path) => !existsSync(resolve(root, dirname(file), path)))).toEqual([])
  },
)

test('a test that polls uses `eventually`, which says what it waited for and for how long', () => {
  const helper = 'testing/eventually.ts'
  const polls = sources.filter((file) => /\.poll\(|\.waitFor(Function)?\((async )?\(|vi\.waitFor/.test(read(file)))
  expect(polls.filter((file) => file !== 'scripts/repository.test.ts')).toEqual([helper])
})
