/**
 * Bundles the programs that tests start hundreds of times, since starting a program from its sources takes two to five
 * times as much CPU time. Some tests still start the sources, because people do so in a checkout.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { fingerprint } from '../building/fingerprint.ts'
import { nothingShared, sharedText } from '../packages/runtime/archive/parts.ts'
import { buildRuntime, ownKeys } from '../packages/runtime/build.ts'
import { type Programs, sources } from './sources.ts'

const root = join(import.meta.dirname, '..')
/**
 * The folder for the bundles. It is inside the folder of packages/server, so that bundles find the libraries that are
 * not bundled.
 */
const cache = join(root, 'packages/server/.cache/programs')
const day = 86_400_000
const sharedBuild = 'shared-build.json'

/** Bundles the programs, unless bundles of the same sources exist already. Returns their paths. */
export async function makePrograms(now: number): Promise<Programs> {
  const packages = ['protocol', 'blueprint', 'api', 'runtime', 'server'].map((name) => `packages/${name}`)
  const folder = join(cache, fingerprint(root, ['package-lock.json', 'testing/programs.ts', ...packages]))
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    for (const name of readdirSync(cache))
      if (statSync(join(cache, name)).mtimeMs < now - day) rmSync(join(cache, name), { recursive: true, force: true })
    const temporary = join(cache, `${process.pid}.tmp`)
    const shared = nothingShared()
    await buildRuntime({ outDir: temporary, version: 'dev', keys: ownKeys(), shared })
    writeFileSync(join(temporary, sharedBuild), await sharedText(shared))
    await buildServer(join(temporary, 'server'))
    await buildKillAt(join(temporary, 'kill-at.cjs'))
    if (existsSync(folder)) rmSync(temporary, { recursive: true })
    else renameSync(temporary, folder)
  }
  return {
    svc: join(folder, 'svc.pyz'),
    server: join(folder, 'server/main.mjs'),
    serve: join(folder, 'server/serve.mjs'),
    killAt: join(folder, 'kill-at.cjs'),
    sharedBuild: join(folder, sharedBuild),
  }
}

/**
 * Bundles the helper kill-at.ts, which is loaded as often as `svc` itself. Node would have to load its whole TypeScript
 * support for the source. The bundle is CommonJS, because it is loaded with `--require`.
 */
async function buildKillAt(outfile: string): Promise<void> {
  await build({
    entryPoints: [sources.killAt],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    logLevel: 'error',
  })
}

/**
 * Bundles the server in several parts, because `main.ts` turns on the compile cache before it imports the rest. The
 * bundles are minified, except for names, because most of a start is reading and compiling them.
 */
async function buildServer(outdir: string): Promise<void> {
  const threads = new Set<string>()
  const options: BuildOptions = {
    entryNames: '[name]',
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'error',
    // Libraries in the bundle that are CommonJS load Node's own modules with `require`, which this line defines.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    // The library pg tries to load pg-native, which is not installed, and works without it.
    external: ['pg-native'],
    plugins: [ownPlaces(threads), lazyHttp],
  }
  await build({ ...options, entryPoints: [sources.server, sources.serve] })
  await build({ ...options, entryPoints: [...threads] })
}

/**
 * A plugin that lets bundled files find files beside their sources in the checkout, such as the built page. Files that
 * run in worker threads are added to `threads`, to be bundled separately.
 */
const ownPlaces = (threads: Set<string>): Plugin => ({
  name: 'own places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/packages\/[a-z]+\/src\/.*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8')
        .replaceAll(/(new Worker\(new URL\('\.\/)([a-z-]+)\.ts', import\.meta\.url\)/g, (_, before, name) => {
          threads.add(join(dirname(path), `${name}.ts`))
          return `${before}${name}.mjs', import.meta['url'])`
        })
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
    })),
})

/**
 * A plugin that replaces imports of `node:http` by a call that loads the module. An import would read every getter of
 * the module and so load the WebSocket client, which takes a third of the start of a short command.
 */
const lazyHttp: Plugin = {
  name: 'lazy node:http',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(node:)?http$/ }, () => ({ path: 'node:http', namespace: 'lazy' }))
    onLoad({ filter: /./, namespace: 'lazy' }, () => ({
      contents: `module.exports = process.getBuiltinModule('node:http')`,
    }))
  },
}
