/**
 * The program as it stands in `svc.pyz`: what main.ts imports dynamically becomes a part, bundled on its own, packed and put on a line that
 * is a comment; main.ts itself is the code of the file, and loads one of them.
 */
import { basename, dirname, join, relative, resolve } from 'node:path'
import { deflate } from '@svc/blueprint/zip'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import type { Place } from '../src/part.ts'
import { leastNode } from '../src/version.ts'

export interface Program {
  readonly text: string
  /** The modules whose code is in it. */
  readonly modules: ReadonlySet<string>
}

/** The file from `offset` on: the parts' lines, then the code. `first` is code that runs before all else. */
export async function program(
  main: string,
  offset: number,
  { first, define }: { first: string; define: Readonly<Record<string, string>> },
): Promise<Program> {
  const shared: BuildOptions = { ...options, define: { ...define } }
  const names: string[] = []
  const noting = (name: string): string => {
    names.push(name)
    return ''
  }
  await bundle(main, { ...shared, plugins: [replaced(main, noting)] })
  const modules = new Set<string>()
  const places = new Map<string, Place>()
  let lines = ''
  for (const name of names.sort()) {
    const part = await bundle(join(dirname(main), name), shared)
    for (const module of part.modules) modules.add(module)
    const line = packed(part.text)
    places.set(name, { name, at: offset + lines.length + 2, length: line.length })
    lines += `//${line}\n`
  }
  const code = await bundle(main, {
    ...shared,
    plugins: [replaced(main, (name) => loader(places.get(name)))],
    ...(first !== '' && { banner: { js: first } }),
  })
  for (const module of code.modules) modules.add(module)
  return { text: `${lines}${code.text.trimEnd()}\n`, modules }
}

const options: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  minify: true,
  charset: 'ascii',
  legalComments: 'none',
  sourcemap: false,
  write: false,
  logLevel: 'warning',
  target: `node${leastNode}`,
  supported: { 'dynamic-import': false }, // a part is loaded whole
}

async function bundle(entry: string, more: BuildOptions): Promise<Program> {
  const from = dirname(entry)
  const { outputFiles, metafile } = await build({
    ...more,
    entryPoints: [entry],
    absWorkingDir: from,
    write: false,
    metafile: true,
  })
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return { text: outputFiles[0]?.text ?? '', modules: new Set(used.map(([path]) => resolve(from, path))) }
}

/** Puts something else in the place of what main.ts imports dynamically; `name` is relative to its folder. */
const replaced = (main: string, contents: (name: string) => string): Plugin => ({
  name: 'parts',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\./ }, ({ path, importer, kind }) =>
      kind === 'dynamic-import' && basename(importer) === basename(main)
        ? { path: join(dirname(main), path), namespace: 'part' }
        : undefined,
    )
    onLoad({ filter: /./, namespace: 'part' }, ({ path }) => ({
      contents: contents(relative(dirname(main), path)),
      resolveDir: dirname(main),
      loader: 'js',
    }))
  },
})

const loader = (place: Place | undefined): string =>
  `import { loadPart } from './part.ts'\nmodule.exports = loadPart(__filename, ${JSON.stringify(place)}, require)\n`

/** One line, the same on every machine. */
function packed(code: string): string {
  const bytes = deflate(Buffer.from(code, 'latin1'))
  if (!bytes) throw new Error('A part of the program cannot be packed.')
  return Buffer.from(bytes).toString('base64')
}
