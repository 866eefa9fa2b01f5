/**
 * Splits a part of the program into pieces: the entry of the part, each dynamic import, and the code that two or more
 * of these share.
 */
import { basename, relative } from 'node:path'
import { type BuildOptions, build, type Metafile, transform } from 'esbuild'

export interface Piece {
  readonly name: string
  /** The code of the piece, as a CommonJS module that loads other pieces by their names with `require`. */
  readonly code: string
  /**
   * The starts of the program that need this piece. A start is named after the module that it loads: the entry of the
   * part, or a dynamic import.
   */
  readonly starts: ReadonlySet<string>
}

type SharedOptions = BuildOptions &
  Required<Pick<BuildOptions, 'charset' | 'legalComments' | 'platform' | 'target'>> & {
    readonly absWorkingDir: string
    readonly metafile: true
    readonly write: false
  }

/**
 * Bundles a part into pieces. The names and the order of the pieces are the same in whatever folder the sources are.
 */
export async function piecesOf(
  entry: string,
  shared: SharedOptions,
): Promise<{ readonly pieces: readonly Piece[]; readonly metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: [entry],
    format: 'esm',
    splitting: true,
    outdir: 'pieces',
  })
  const { outputs } = metafile
  const sources = (path: string): string => Object.keys(outputs[path]?.inputs ?? {}).join('\n')
  const paths = Object.keys(outputs).sort((a, b) => (sources(a) < sources(b) ? -1 : 1))
  const names = new Map(paths.map((path, at) => [path, ownName(outputs[path]?.entryPoint) ?? `shared ${at}`]))
  const nameAt = (file: string): string | undefined =>
    names.get(paths.find((p) => basename(p) === basename(file)) ?? '')
  const texts = new Map(outputFiles.map((file) => [relative(shared.absWorkingDir, file.path), file.text]))
  const starts = startsOf(entry, outputs)
  const pieces = paths.map(async (path): Promise<Piece> => {
    const { code } = await transform(texts.get(path) ?? '', toCommonJs(shared))
    const named = code
      .trimEnd()
      .replace(/"\.{1,2}\/[\w./-]+\.js"/g, (all) => JSON.stringify(nameAt(JSON.parse(all))) ?? all)
    return { name: names.get(path) ?? path, code: named, starts: starts(path) }
  })
  return { pieces: await Promise.all(pieces), metafile }
}

/**
 * Returns the path of an entry point as its name; undefined for a module of a library, because its path depends on the
 * folder of the sources.
 */
const ownName = (entryPoint: string | undefined): string | undefined =>
  entryPoint?.startsWith('..') ? undefined : entryPoint

const toCommonJs = ({ charset, legalComments, platform, target }: SharedOptions) =>
  ({
    ...{ charset, legalComments, platform, target },
    format: 'cjs',
    minify: true,
    supported: { 'dynamic-import': false },
  }) as const

/**
 * Returns, for each output of the bundler, the starts of the program that load it. Every start loads the entry of the
 * part with everything that the entry imports. The start for a dynamic import also loads the imported module with
 * everything that this module imports.
 */
function startsOf(entry: string, outputs: Metafile['outputs']): (path: string) => ReadonlySet<string> {
  const roots = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint !== undefined)
  const loads = new Map(roots.map(([path, { entryPoint = '' }]) => [entryPoint, closure(path, outputs)]))
  const always = loads.get(entry) ?? new Set()
  const all = [...loads.keys()]
  return (path) => new Set(always.has(path) ? all : all.filter((start) => loads.get(start)?.has(path)))
}

function closure(path: string, outputs: Metafile['outputs']): ReadonlySet<string> {
  const found = new Set([path])
  for (const each of found) {
    for (const { path: next, kind } of outputs[each]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[next]) found.add(next)
    }
  }
  return found
}
