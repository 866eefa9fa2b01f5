/**
 * `npm run build`: the page for the browser (`packages/dashboard/dist`) and `svc.pyz` (`dist/cli`), each only when what it
 * is made of has changed since. `npm start`, `npm run demo` and `npm test` call it; with nothing to do it takes milliseconds.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fingerprint } from './build/fingerprint.ts'

const root = join(import.meta.dirname, '..')
const inRoot = (path: string) => join(root, path)

interface Product {
  says: string
  /** Without this file it was never built. */
  result: string
  /** Files and folders that it is made of. */
  sources: string[]
  make: () => Promise<void>
}

const always = ['package.json', 'package-lock.json', 'LICENSE', 'scripts/build.ts', 'scripts/build']
const products: Product[] = [
  {
    says: 'the page',
    result: 'packages/dashboard/dist/index.html',
    sources: ['packages/dashboard', 'packages/protocol/src', 'packages/api/src'],
    make: makePage,
  },
  {
    says: 'svc.pyz',
    result: 'dist/cli/svc.pyz',
    sources: ['packages/runtime', 'packages/blueprint', 'packages/protocol/src'],
    make: makeRuntime,
  },
]

/**
 * Brings what is built up to date, in a process of its own: the caller may go on for months and should not carry the bundlers
 * along. `quiet`: prints nothing when all goes well. `page: false`: for a caller that serves the page from its sources.
 */
export async function build({ quiet = false, page = true }: { quiet?: boolean; page?: boolean } = {}): Promise<void> {
  if (!wanted(page).some((product) => staleMark(product))) return
  const args = [import.meta.filename, ...(quiet ? ['--quiet'] : []), ...(page ? [] : ['--no-page'])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The build ended with ${signal ?? `code ${code}`}; what it said stands above.`)
}

const wanted = (page: boolean) => products.filter(({ make }) => page || make !== makePage)

/** What its mark has to say once it is built anew; undefined when it is up to date. */
function staleMark({ result, sources }: Product): string | undefined {
  const wanted = fingerprint(root, [...always, ...sources])
  return existsSync(inRoot(result)) && readText(markOf(result)) === wanted ? undefined : wanted
}

const markOf = (result: string) => inRoot(`.cache/built/${basename(result)}`)

async function bring(product: Product, quiet: boolean): Promise<void> {
  const { says, make } = product
  const wanted = staleMark(product)
  if (wanted === undefined) return
  const begun = performance.now()
  if (!quiet) process.stderr.write(`svc: building ${says} … `)
  await make()
  mark(product, wanted)
  if (!quiet) process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(1)} s\n`)
}

function mark({ result }: Product, wanted: string): void {
  mkdirSync(dirname(markOf(result)), { recursive: true })
  writeFileSync(markOf(result), wanted)
}

/** Vite writes beside; the finished folder then takes the old one's place, so that nobody is served half a page. */
async function makePage(): Promise<void> {
  process.env.NODE_ENV = 'production' // a test's own value would get people the libraries' forms for development
  const { build: bundle } = await import('vite')
  const beside = inRoot(`.cache/page-${process.pid}`)
  const old = `${beside}-old`
  const place = inRoot('packages/dashboard/dist')
  try {
    await bundle({
      root: inRoot('packages/dashboard'),
      logLevel: 'warn',
      build: { outDir: beside, emptyOutDir: true },
    })
    rmSync(old, { recursive: true, force: true })
    mkdirSync(dirname(place), { recursive: true })
    moveIfThere(place, old)
    renameSync(beside, place)
  } finally {
    for (const folder of [beside, old]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Not signed: a signature that lies there is of an older build. */
async function makeRuntime(): Promise<void> {
  const { buildRuntime } = await import('../packages/runtime/build.ts')
  rmSync(inRoot('dist/cli/svc.pyz.sig'), { force: true })
  await buildRuntime({ outDir: inRoot('dist/cli') })
}

/** What lies in `dist/cli` was made of the sources as they are, by `npm run release`: it is not built again. */
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
    return undefined // never built
  }
}

if (import.meta.main)
  for (const product of wanted(!process.argv.includes('--no-page')))
    await bring(product, process.argv.includes('--quiet'))
