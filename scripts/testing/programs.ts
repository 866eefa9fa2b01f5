/**
 * The programs that tests start hundreds of times, bundled: a start from the sources takes two to five times the CPU.
 * Some tests start from the sources all the same, since that is what a checkout does.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { buildRuntime, ownKeys } from '../../packages/runtime/build.ts'
import { fingerprint } from '../build/fingerprint.ts'
import { type Programs, sources } from './sources.ts'

const root = join(import.meta.dirname, '../..')
/** Inside the server's folder, since the libraries that stay outside the file are found from there. */
const cache = join(root, 'packages/server/.cache/programs')
const day = 86_400_000

/** Makes the programs once for each state of their sources. */
export async function makePrograms(now: number): Promise<Programs> {
  const packages = ['protocol', 'blueprint', 'api', 'runtime', 'server'].map((name) => `packages/${name}`)
  const folder = join(cache, fingerprint(root, ['package-lock.json', 'scripts/testing/programs.ts', ...packages]))
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    for (const name of readdirSync(cache))
      if (statSync(join(cache, name)).mtimeMs < now - day) rmSync(join(cache, name), { recursive: true, force: true })
    const beside = join(cache, `${process.pid}.tmp`)
    await buildRuntime({ outDir: beside, version: 'dev', keys: ownKeys() })
    await buildServer(join(beside, 'server'))
    await buildHelpers(beside)
    if (existsSync(folder)) rmSync(beside, { recursive: true })
    else renameSync(beside, folder)
  }
  return {
    svc: join(folder, 'svc.pyz'),
    server: join(folder, 'server/main.mjs'),
    serve: join(folder, 'server/serve.mjs'),
    killAt: join(folder, 'kill-at.cjs'),
    systemctl: join(folder, 'systemctl.mjs'),
  }
}

/** What tests start or load as often as `svc` itself. Node loads its whole TypeScript reader for one file of it. */
async function buildHelpers(outdir: string): Promise<void> {
  const options = { outdir, bundle: true, platform: 'node', target: 'node24', logLevel: 'error' } as const
  // `--require` loads it.
  await build({ ...options, entryPoints: [sources.killAt], format: 'cjs', outExtension: { '.js': '.cjs' } })
  await build({ ...options, entryPoints: [sources.systemctl], format: 'esm', outExtension: { '.js': '.mjs' } })
}

/** In parts, since `main.ts` turns the compile cache on for what it then imports. */
async function buildServer(outdir: string): Promise<void> {
  const threads = new Set<string>()
  const options: BuildOptions = {
    entryNames: '[name]',
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'error',
    // Libraries that are CommonJS ask for Node's own modules with `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    // pg looks for it, and goes on without.
    external: ['pg-native'],
    plugins: [ownPlaces(threads), lazyHttp],
  }
  await build({ ...options, entryPoints: [sources.server, sources.serve] })
  await build({ ...options, entryPoints: [...threads] })
}

/**
 * Our own files go on finding their neighbours (the built page) where they are in the checkout. The files of threads stand beside the
 * bundle; they are noted in `threads`.
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

/** An `import` of `node:http` reads every getter of it, which loads the WebSocket client: a third of the start of a short command. */
const lazyHttp: Plugin = {
  name: 'lazy node:http',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(node:)?http$/ }, () => ({ path: 'node:http', namespace: 'lazy' }))
    onLoad({ filter: /./, namespace: 'lazy' }, () => ({
      contents: `module.exports = process.getBuiltinModule('node:http')`,
    }))
  },
}
