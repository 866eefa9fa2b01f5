/**
 * Bundles the program of `svc.pyz`. Each module that main.ts imports dynamically becomes a part, which is bundled
 * separately. A part with dynamic imports of its own is split into pieces. The file contains the pieces, packed, on
 * lines that are comments, and then the code of main.ts, which loads a part.
 */
import { createHash } from 'node:crypto'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { deflate } from '@svc/blueprint/zip'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { minNode } from '../src/machine/base/version.ts'
import type { PackedLine, PackedPart } from '../src/packed.ts'
import { packPieces } from './pack-pieces.ts'
import { type Piece, piecesOf } from './pieces.ts'

export interface Program {
  readonly text: string
  /** The paths of the source modules whose code is in the program. */
  readonly modules: ReadonlySet<string>
}

export interface ProgramOptions {
  /** Code that the program runs before all other code. */
  readonly first: string
  readonly define: Readonly<Record<string, string>>
  /** Changes the code just before it is packed: replaces the placeholders that `define` put into the code. */
  readonly filled?: (code: string) => string
  readonly shared?: SharedResults
  /**
   * The name of a part that another program can load without reading the whole file, such as `host/jobs/exec.ts`. Its
   * code is on one line, base64 of a CommonJS module, and the second line of the parts says where: see `directPlace`.
   */
  readonly direct?: string
}

/**
 * Intermediate results that several builds of the same sources with the same `define` share. Tests need this, because
 * they build the runtime in dozens of versions.
 */
export interface SharedResults {
  readonly parts: Map<string, Promise<BundledPart>>
  /** For each text that was packed, the line that contains it in packed form. */
  readonly lines: Map<string, string>
}
type BundledPart = Awaited<ReturnType<typeof piecesOf>> & { readonly name: string }

export const nothingShared = (): SharedResults => ({ parts: new Map(), lines: new Map() })

/** Writes the results that builds share as text, so that builds of the same sources in other processes can use them. */
export async function sharedText({ parts, lines }: SharedResults): Promise<string> {
  const listed = [...(await Promise.all(parts.values()))].map(({ pieces, ...part }) => ({
    ...part,
    pieces: pieces.map((piece) => ({ ...piece, starts: [...piece.starts] })),
  }))
  return JSON.stringify({ parts: listed, lines: [...lines] })
}

export function readShared(text: string): SharedResults {
  const { parts, lines } = JSON.parse(text) as { parts: SharedPart[]; lines: [string, string][] }
  const read = parts.map(({ pieces, ...part }): [string, Promise<BundledPart>] => [
    part.name,
    Promise.resolve({ ...part, pieces: pieces.map((piece) => ({ ...piece, starts: new Set(piece.starts) })) }),
  ])
  return { parts: new Map(read), lines: new Map(lines) }
}
type SharedPart = Omit<BundledPart, 'pieces'> & {
  readonly pieces: readonly (Omit<Piece, 'starts'> & { readonly starts: readonly string[] })[]
}

/**
 * Returns the text of the program file from `offset` on: first the lines with the packed parts, then the code of
 * main.ts.
 */
export async function program(
  main: string,
  offset: number,
  { first, define, filled = (code) => code, shared = nothingShared(), direct }: ProgramOptions,
): Promise<Program> {
  const all = { ...options, absWorkingDir: dirname(main), define: { ...define } }
  const bundle = (replace: (name: string) => string) =>
    build({ ...all, entryPoints: [main], format: 'cjs', plugins: [replaced(main, replace)], banner: { js: first } })
  const names: string[] = []
  await bundle((name) => {
    names.push(name)
    return ''
  })
  const bundled = await Promise.all(
    names.sort().map((name) => getOrMake(shared.parts, name, async () => ({ name, ...(await piecesOf(name, all)) }))),
  )
  const packs = bundled.map(({ name, pieces }) => ({ name, packs: packsOf(pieces, filled, shared.lines) }))
  const reserved = direct === undefined ? '' : directPlace(0, 0)
  const { lines, parts } = laidOut(packs, offset, reserved)
  const own = direct === undefined ? undefined : parts.get(direct)
  const directLine = own && (await directCode(join(dirname(main), own.entry), own, all))
  const { outputFiles, metafile } = await bundle((name) => loader(parts.get(name)))
  const metafiles = [metafile, ...bundled.map((part) => part.metafile)]
  return {
    text: `${withDirect(lines, offset, directLine)}${filled(outputFiles[0]?.text.trimEnd() ?? '')}\n`,
    modules: new Set(metafiles.flatMap((each) => modulesIn(each, dirname(main)))),
  }
}

const options = {
  bundle: true,
  platform: 'node',
  minify: true,
  charset: 'ascii',
  legalComments: 'none',
  sourcemap: false,
  write: false,
  metafile: true,
  logLevel: 'warning',
  target: `node${minNode}`,
} as const

/** Returns the lines of all parts as one text, and for each part the offsets of its lines in the program file. */
function laidOut(
  packed: readonly { readonly name: string; readonly packs: readonly PackLine[] }[],
  offset: number,
  reserved: string,
): { lines: string; parts: ReadonlyMap<string, PackedPart> } {
  const all = packed.flatMap(({ packs }) => packs.map(({ line }) => line))
  const mark = `parts ${createHash('sha256').update(all.join('\n')).digest('hex').slice(0, 32)}`
  const at = offset + 2
  let lines = `//${mark}\n${reserved}`
  const parts = packed.map(({ name, packs }): [string, PackedPart] => {
    const places = packs.map(({ line, holds }): PackedLine => {
      lines += `//${line}\n`
      return [offset + lines.length - line.length - 1, line.length, ...holds]
    })
    return [name, { entry: name, mark, at, packs: places }]
  })
  return { lines, parts: new Map(parts) }
}

/** The line that says where the direct code is: its offset in the file, and its length. */
const directPlace = (at: number, length: number): string =>
  `//direct ${String(at).padStart(10, '0')} ${String(length).padStart(10, '0')}\n`

/** Adds the line of the direct code to those of the parts. */
function withDirect(lines: string, offset: number, code: string | undefined): string {
  if (code === undefined) return lines
  const all = `${lines}// ${code}\n`
  return all.replace(directPlace(0, 0), directPlace(offset + lines.length + 3, code.length))
}

/** Bundles a part as one module. What it imports dynamically is loaded as a piece of the part. */
async function directCode(
  entry: string,
  part: PackedPart,
  options: BuildOptions & { absWorkingDir: string },
): Promise<string> {
  const root = options.absWorkingDir
  const piece = (name: string) => loader({ ...part, entry: name })
  const { outputFiles } = await build({
    ...options,
    entryPoints: [entry],
    format: 'cjs',
    plugins: [replaced(join(root, 'main.ts'), piece, () => true)],
    write: false,
  })
  return Buffer.from(outputFiles[0]?.text ?? '').toString('base64')
}

interface PackLine {
  readonly line: string
  readonly holds: readonly string[]
}

/**
 * Groups pieces into packs. A pack is an object with one function for each of its pieces. The functions are in
 * parentheses, because otherwise the JavaScript engine would parse them twice.
 */
function packsOf(
  pieces: readonly Piece[],
  filled: (code: string) => string,
  lines: SharedResults['lines'],
): PackLine[] {
  const codes = new Map(pieces.map(({ name, code }) => [name, code]))
  return packPieces(pieces.map(({ name, code, starts }) => ({ name, bytes: code.length, starts }))).map((holds) => {
    const functions = holds.map(
      (name) => `${JSON.stringify(name)}:(function(module,exports,require){${codes.get(name)}\n})`,
    )
    const code = filled(`return{${functions.join(',')}}`)
    return { line: getOrMake(lines, code, () => packed(code)), holds }
  })
}

function getOrMake<T>(known: Map<string, T>, key: string, make: () => T): T {
  const made = known.get(key) ?? make()
  known.set(key, made)
  return made
}

const modulesIn = ({ outputs }: Metafile, from: string): string[] =>
  Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [resolve(from, path)] : []))

/**
 * A plugin for the bundler that replaces the modules which main.ts, or the files that `by` accepts, import dynamically.
 * `contents` gets the path of such a module, relative to the folder of main.ts, and returns the code that replaces it.
 */
const replaced = (
  main: string,
  contents: (name: string) => string,
  by = (importer: string) => basename(importer) === basename(main),
): Plugin => ({
  name: 'parts',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\./ }, ({ path, importer, kind, resolveDir }) =>
      kind === 'dynamic-import' && by(importer) ? { path: join(resolveDir, path), namespace: 'part' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'part' }, ({ path }) => ({
      contents: contents(relative(dirname(main), path)),
      resolveDir: dirname(main),
      loader: 'js',
    }))
  },
})

const loader = (part: PackedPart | undefined): string =>
  `import { loadPart } from './packed.ts'\nmodule.exports = loadPart(__filename, ${JSON.stringify(part)}, require)\n`

/** Compresses code and encodes it as one line of text. The result is the same on every machine. */
function packed(code: string): string {
  const bytes = deflate(Buffer.from(code, 'latin1'))
  if (!bytes) throw new Error('A part of the program cannot be packed.')
  return Buffer.from(bytes).toString('base64')
}
