/**
 * `node packages/runtime/build.ts --out dist/cli` builds `svc.pyz`, which is a program for Node and also a valid Python
 * zip application. The program is stored in packed parts, of which a process loads one. The zip archive follows `//` on
 * the last line, so none of its bytes may end a line. It contains `__main__.py`, which finds Node and executes it in
 * its own place, `release.json`, and the notices. The same sources, version and keys give the same bytes, also before
 * they are committed: all nodes of a service must serve the same file.
 */
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type ZipMember, zipArchive } from '@svc/blueprint/zip'
import { containedIn, noticesOf } from '../../building/notices.ts'
import { distances, endsNoLine, member, plainOffset } from './archive/lines.ts'
import { program, type SharedResults } from './archive/parts.ts'
import { minNode } from './src/machine/base/version.ts'
import { readKeys } from './src/updates/runtime/keys.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const rootOf = (path: string) => resolve(here, '../..', path)

export interface BuiltRuntime {
  readonly file: string
  readonly sha256: string
  readonly version: string
}

/** Returns the keys that a runtime built from this repository trusts for its updates (3.5). */
export const ownKeys = (): string[] => readKeys(readFileSync(join(here, 'release-keys'), 'utf8'))

/**
 * Writes `svc.pyz`, `svc.pyz.sha256` and a `package.json` into `outDir`; the version and the keys default to those of
 * the repository. `first` is code that the program runs before all other code, with which tests build faulty runtimes.
 * Builds with the same `shared` reuse the results that do not depend on version and keys.
 */
export async function buildRuntime({
  outDir,
  version = ownVersion(),
  keys = ownKeys(),
  first = '',
  shared,
}: {
  outDir: string
  version?: string
  keys?: readonly string[]
  first?: string
  shared?: SharedResults
}): Promise<BuiltRuntime> {
  const { text, modules } = await program(join(here, 'src/main.ts'), shebang.length, {
    first,
    define: marks,
    direct: 'host/jobs/exec.ts',
    filled: (code) =>
      code
        .replaceAll(marks.__SVC_VERSION__, () => JSON.stringify(version))
        .replaceAll(marks.__SVC_RELEASE_KEYS__, () => JSON.stringify(keys)),
    ...(shared && { shared }),
  })
  const release = JSON.stringify({ version, leastNode: minNode, keys })
  const bytes = withArchive(`${shebang}${text}`, [
    member('__main__.py', readFileSync(join(here, 'archive/main.py'), 'utf8')),
    member('release.json', release),
    member('LICENSE', readFileSync(rootOf('LICENSE'), 'utf8')),
    member('NOTICES.txt', noticesOf('svc.pyz', containedIn(modules))),
  ])
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  mkdirSync(outDir, { recursive: true })
  const file = resolve(outDir, 'svc.pyz')
  put(file, bytes, 0o755)
  put(`${file}.sha256`, `${sha256} svc.pyz\n`, 0o644)
  put(resolve(outDir, 'package.json'), '{"type":"commonjs"}\n', 0o644)
  return { file, sha256, version }
}

/** Placeholders in the bundled code, which are replaced by the version and the keys. */
const marks = { __SVC_VERSION__: '"svc:version"', __SVC_RELEASE_KEYS__: '["svc:keys"]' } as const

/**
 * The first line of the file. `-S` makes `env` split the line into words and remove quotes, and `require` loads the
 * file as CommonJS, whatever package.json is above it; a path such as `bin/svc.pyz` would be a package for it. With one
 * arena the process needs 6 MB less memory: glibc otherwise keeps one per thread.
 */
// Python reads the words at the end only if the archive behind the text is cut: it then takes the file for a script in
// an encoding of this name, and names it in its error. Kernels read at most 127 bytes of the line.
const shebang =
  '#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node -e require(path.resolve(process.argv[1]))//coding:svc.pyz_is_cut.Download_it_again\n'

/**
 * Appends the archive to the text. Padding before the archive moves the offsets stored in the archive, until none of
 * their bytes ends a line.
 */
function withArchive(text: string, members: readonly ZipMember[]): Buffer {
  const first = text.length + 2
  const within = distances(members)
  for (let at = plainOffset(first, within); ; at = plainOffset(at + 1, within)) {
    const tail = zipArchive(members, at)
    if (endsNoLine(tail)) return Buffer.concat([Buffer.from(`${text}${' '.repeat(at - first)}//`), tail])
  }
}

function put(file: string, data: string | Uint8Array, mode: number): void {
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, data)
  chmodSync(temporary, mode)
  renameSync(temporary, file)
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(rootOf('package.json'), 'utf8')) as { version: string }
  return version
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
