/**
 * `npm run build` makes the page (`packages/dashboard/dist`), the help (`dist/help`) and `svc.pyz` (`dist/cli`). Each
 * is made only if its sources have changed since the last build. `npm start`, `npm run demo` and `npm test` run this
 * first; it takes milliseconds if nothing has changed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fingerprint } from '../building/fingerprint.ts'

const root = join(import.meta.dirname, '..')
const inRoot = (path: string) => join(root, path)

interface Product {
  says: string
  /** A file that each build of this product makes. If it is missing, the product was never built. */
  result: string
  /** The files and folders from which the product is made. */
  sources: string[]
  make: () => Promise<void>
}

const always = ['package.json', 'package-lock.json', 'LICENSE', 'scripts/build.ts', 'building']
const products: Product[] = [
  {
    says: 'the page',
    result: 'packages/dashboard/dist/index.html',
    sources: ['packages/dashboard', 'packages/protocol/src', 'packages/api/src'],
    make: makePage,
  },
  {
    says: 'the help',
    result: 'dist/help/contents.html',
    sources: ['docs', 'scripts/help', 'sdk/node', 'sdk/python/svc_status.py'],
    make: makeHelp,
  },
  {
    says: 'svc.pyz',
    result: 'dist/cli/svc.pyz',
    sources: ['packages/runtime', 'packages/blueprint', 'packages/protocol/src'],
    make: makeRuntime,
  },
]

/**
 * Builds the products that are out of date, in a separate process: the caller may run for months and should not keep
 * the bundlers in memory. With `quiet`, nothing is printed on success. `page: false` is for a caller that serves the
 * page from its sources, and `runtime: false` for one that must leave `dist/cli` as it is.
 */
export async function build({
  quiet = false,
  page = true,
  runtime = true,
}: {
  quiet?: boolean
  page?: boolean
  runtime?: boolean
} = {}): Promise<void> {
  const left = [...(page ? [] : ['--no-page']), ...(runtime ? [] : ['--no-runtime'])]
  if (!wanted(left).some((product) => staleMark(product))) return
  const args = [import.meta.filename, ...(quiet ? ['--quiet'] : []), ...left]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The build ended with ${signal ?? `code ${code}`}; what it said stands above.`)
}

const wanted = (args: readonly string[]) =>
  products.filter(
    ({ make }) =>
      !(make === makePage && args.includes('--no-page')) && !(make === makeRuntime && args.includes('--no-runtime')),
  )

/** The text that marks a product as built from its present sources; undefined if the product already has that mark. */
function staleMark({ result, sources }: Product): string | undefined {
  const wanted = fingerprint(root, [...always, ...sources])
  return existsSync(inRoot(result)) && readText(markOf(result)) === wanted ? undefined : wanted
}

const markOf = (result: string) => inRoot(`.cache/built/${result.replaceAll('/', '+')}`)

async function bring(product: Product, quiet: boolean): Promise<void> {
  const { says, make } = product
  const wanted = staleMark(product)
  if (wanted === undefined) return
  const startedAt = performance.now()
  if (!quiet) process.stderr.write(`svc: building ${says} … `)
  await make()
  mark(product, wanted)
  if (!quiet) process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
}

function mark({ result }: Product, wanted: string): void {
  mkdirSync(dirname(markOf(result)), { recursive: true })
  writeFileSync(markOf(result), wanted)
}

/** Builds the page with Vite. */
async function makePage(): Promise<void> {
  // Tests set NODE_ENV to `test`, with which libraries would be built in their slower development form.
  process.env.NODE_ENV = 'production'
  // On a terminal, the bundler would wipe the line that says what is built.
  process.env.CI ??= '1'
  const { build: bundle } = await import('vite')
  await replaceFolder('packages/dashboard/dist', async (outDir) => {
    await bundle({ root: inRoot('packages/dashboard'), logLevel: 'warn', build: { outDir, emptyOutDir: true } })
  })
}

/** Renders the documents that the service shows at `/help`. */
async function makeHelp(): Promise<void> {
  const { writeHelp } = await import('./help/make.ts')
  await replaceFolder('dist/help', async (folder) => writeHelp(folder))
}

/**
 * Replaces a folder that the service serves. `write` fills a temporary folder, which then takes the place of the old
 * one, so that the service never serves half a build.
 */
async function replaceFolder(place: string, write: (folder: string) => Promise<void>): Promise<void> {
  const temporary = inRoot(`.cache/built-${process.pid}`)
  const old = `${temporary}-old`
  try {
    await write(temporary)
    rmSync(old, { recursive: true, force: true })
    mkdirSync(dirname(inRoot(place)), { recursive: true })
    moveIfThere(inRoot(place), old)
    renameSync(temporary, inRoot(place))
  } finally {
    for (const folder of [temporary, old]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Builds `svc.pyz` without signing it. A signature in the folder belongs to an older build and is removed. */
async function makeRuntime(): Promise<void> {
  const { buildRuntime } = await import('../packages/runtime/build.ts')
  rmSync(inRoot('dist/cli/svc.pyz.sig'), { force: true })
  await buildRuntime({ outDir: inRoot('dist/cli') })
}

/**
 * Marks `dist/cli` as up to date after `npm run release` has written it. Otherwise the next build would replace the
 * signed build.
 */
export function markRuntimeBuilt(): void {
  for (const product of products.filter(({ make }) => make === makeRuntime)) {
    const wanted = staleMark(product)
    if (wanted !== undefined) mark(product, wanted)
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined // there is no mark, because the product was never built
  }
}

if (import.meta.main) for (const product of wanted(process.argv)) await bring(product, process.argv.includes('--quiet'))
