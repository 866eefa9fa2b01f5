/**
 * Checks which files the compiler reads for a package, because a library or another package can bring in types that
 * the package must not use. `npm test` leaves this out. It compiles each package with other types; `npm run check`
 * compiles them as they are.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'

/** The time limit is long: the compiler reads up to 1,400 files to make one list. */
vi.setConfig({ testTimeout: 60_000 })

const root = join(import.meta.dirname, '..')

/**
 * Returns the files that the compiler reads for a package. The list contains the sources of other packages, although
 * the compiler normally reads the output of `tsc -b` instead.
 */
function filesOf(folder: string, config = 'tsconfig.json'): string[] {
  const cache = join(root, folder, '.cache')
  mkdirSync(cache, { recursive: true })
  const place = mkdtempSync(join(cache, 'listed-'))
  try {
    const compilerOptions = { composite: false, emitDeclarationOnly: false, noEmit: true, rootDir: root }
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ extends: `../../${config}`, compilerOptions }))
    const program = join(root, 'node_modules/typescript/bin/tsc')
    const listed = execFileSync(process.execPath, [program, '-p', place, '--listFilesOnly'], { encoding: 'utf8' })
    return listed.split('\n').filter(Boolean)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}
const packaged = (files: readonly string[], name: string) =>
  files.filter((file) => file.startsWith(join(root, 'packages', name))).map((file) => file.slice(root.length + 1))
const forNode = (files: readonly string[]) => files.filter((file) => /@types\/node\/|\/undici-types\//.test(file))
const forBrowsers = (files: readonly string[]) => files.filter((file) => /\/lib\.(dom|webworker)\b/.test(file))

test('the page is compiled without types of Node, and only with descriptions of the service', () => {
  const files = filesOf('packages/dashboard')
  expect(packaged(files, 'dashboard').length).toBeGreaterThan(100)
  expect(forNode(files)).toEqual([])
  expect(packaged(files, 'server')).toEqual([])
  expect(
    packaged(files, 'blueprint').filter((file) => !/^packages\/blueprint\/src\/(manifest\/|key\.ts$)/.test(file)),
  ).toEqual([])
  expect(packaged(files, 'runtime')).toEqual([])
})

test.each([
  ['the contract', 'packages/protocol', 'tsconfig.json'],
  ['the manifest', 'packages/blueprint', 'tsconfig.manifest.json'],
  ['what the service takes and answers', 'packages/api', 'tsconfig.json'],
])('%s is compiled without types of Node and of browsers', (_name, folder, config) => {
  const files = filesOf(folder, config)
  expect(packaged(files, folder.replace('packages/', '')).length).toBeGreaterThan(2)
  expect([forNode(files), forBrowsers(files)]).toEqual([[], []])
})

test.each(['server', 'runtime'])('%s is compiled without types of browsers', (name) => {
  const files = filesOf(`packages/${name}`)
  expect(packaged(files, name).length).toBeGreaterThan(20)
  expect(forBrowsers(files)).toEqual([])
})
