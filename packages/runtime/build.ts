/**
 * Builds `svc.pyz`: one file that Node runs and that is a genuine Python zip application as well. The program is one CommonJS
 * bundle; the archive stands behind `//` on its last line, so none of the archive's bytes may end a line. The archive holds
 * `__main__.py`, which finds Node and becomes it, and `release.json`. The same commit gives the same bytes.
 *
 *   node packages/runtime/build.ts --out dist/cli
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { deflateRawSync } from 'node:zlib'
import { archive, type Member } from '@svc/blueprint/zip'
import { build } from 'esbuild'
import { readKeys } from './src/self-update/keys.ts'
import { leastNode } from './src/version.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const rootOf = (path: string) => resolve(here, '../..', path)

export interface Built {
  readonly file: string
  readonly sha256: string
  readonly version: string
}

/** The keys that a runtime built here trusts for its updates (3.5). */
export const ownKeys = (): string[] => readKeys(readFileSync(join(here, 'release-keys'), 'utf8'))

/**
 * Writes `svc.pyz`, `svc.pyz.sha256` and a `package.json` into `outDir`. `version` defaults to the repository's, `keys` to those of
 * `release-keys`. `first` is code that runs before all else: tests of updates build runtimes with a fault.
 */
export async function buildRuntime({
  outDir,
  version = ownVersion(),
  keys = ownKeys(),
  first = '',
}: {
  outDir: string
  version?: string
  keys?: readonly string[]
  first?: string
}): Promise<Built> {
  const program = await bundle({ version, keys, first })
  const release = JSON.stringify({ version, built: buildTime(), leastNode })
  const bytes = withArchive(program, [
    ['__main__.py', readFileSync(join(here, 'archive/main.py'), 'utf8')],
    ['release.json', release],
  ])
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  mkdirSync(outDir, { recursive: true })
  const file = resolve(outDir, 'svc.pyz')
  put(file, bytes, 0o755)
  put(`${file}.sha256`, `${sha256} svc.pyz\n`, 0o644)
  put(resolve(outDir, 'package.json'), '{"type":"commonjs"}\n', 0o644)
  return { file, sha256, version }
}

/**
 * `-S` splits the words, and `require` loads the file whatever package.json lies above it. One arena, since glibc keeps one for each
 * thread and reads this before anything of ours runs: 6 MB that nothing uses.
 */
const shebang = '#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node -e require(process.argv[1])\n'

async function bundle({
  version,
  keys,
  first,
}: {
  version: string
  keys: readonly string[]
  first: string
}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(here, 'src/main.ts')],
    absWorkingDir: here,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: `node${leastNode}`,
    minify: true,
    charset: 'ascii',
    legalComments: 'none',
    sourcemap: false,
    write: false,
    logLevel: 'warning',
    define: { __SVC_VERSION__: JSON.stringify(version), __SVC_RELEASE_KEYS__: JSON.stringify(keys) },
    ...(first !== '' && { banner: { js: first } }),
  })
  return outputFiles[0]?.text ?? ''
}

/** Padding before the archive moves the offsets in it until none of their bytes ends a line. */
function withArchive(program: string, files: readonly (readonly [name: string, text: string])[]): Buffer {
  const members = files.map(([name, text]) => member(name, text))
  for (let spaces = 0; ; spaces++) {
    const head = Buffer.from(`${shebang}${program.trimEnd()}\n${' '.repeat(spaces)}//`)
    const tail = archive(members, head.length)
    if (noLineEnd(tail)) return Buffer.concat([head, tail])
  }
}

/** Counts a remark at the end of the text up until neither its compressed bytes nor its sums end a line. */
function member(name: string, text: string): Member {
  const remark = name.endsWith('.py') ? (n: number) => `# ${n}\n` : (n: number) => ' '.repeat(n)
  for (let n = 0; ; n++) {
    const content = Buffer.from(text + remark(n))
    const made = { name, content, packed: deflateRawSync(content, { level: 9 }) }
    if (noLineEnd(archive([made], 0))) return made
  }
}

/** Whether nothing in these bytes ends a line of JavaScript: no LF, CR, U+2028, U+2029. */
const noLineEnd = (bytes: Buffer): boolean =>
  !bytes.includes(0x0a) && !bytes.includes(0x0d) && !bytes.includes('\u2028') && !bytes.includes('\u2029')

function put(file: string, data: string | Uint8Array, mode: number): void {
  const beside = `${file}.${process.pid}.tmp`
  writeFileSync(beside, data)
  chmodSync(beside, mode)
  renameSync(beside, file)
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(rootOf('package.json'), 'utf8')) as { version: string }
  return version
}

/** Unix seconds: of the sources, never of the clock, so that a build can be repeated. */
function buildTime(): number {
  const written = process.env.SOURCE_DATE_EPOCH
  if (written !== undefined && /^\d+$/.test(written)) return Number(written)
  try {
    return Number(
      execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: here, stdio: ['ignore', 'pipe', 'ignore'] }).toString(),
    )
  } catch {
    return 0 // not a checkout
  }
}

if (import.meta.main ?? process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { out: { type: 'string', default: rootOf('dist/cli') }, version: { type: 'string' } },
  })
  const { file, sha256, version } = await buildRuntime({
    outDir: values.out,
    ...(values.version && { version: values.version }),
  })
  process.stdout.write(`${file}\n  version ${version}\n  sha256  ${sha256}\n`)
}
