/**
 * Bundles the programs that tests start hundreds of times, since starting a program from its sources takes two to five
 * times as much CPU time. Some tests still start the sources, because people do so in a checkout.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { fingerprint } from '../building/fingerprint.ts'
import { nothingShared, sharedText } from '../packages/runtime/archive/parts.ts'
import { buildRuntime, ownKeys } from '../packages/runtime/build.ts'
import { buildPackage, bundleService, packageName } from '../packages/server/build.ts'
import { filesBeside, ownVersion, pathBeside } from '../packages/server/src/platform/installed.ts'
import { level } from './level.ts'
import { type Programs, sources } from './sources.ts'

const root = join(import.meta.dirname, '..')
/**
 * The folder for the bundles. It is inside the folder of packages/server, so that bundles find the libraries that are
 * not bundled.
 */
const cache = join(root, 'packages/server/.cache/programs')
const day = 86_400_000
/** In the long form, tests start the service from its package, unpacked. */
const fromPackage = level === 'long'
const sharedBuild = 'shared-build.json'

/** Bundles the programs, unless bundles of the same sources exist already. Returns their paths. */
export async function makePrograms(now: number): Promise<Programs> {
  const packages = ['protocol', 'blueprint', 'api', 'runtime', 'server'].map((name) => `packages/${name}`)
  const served = fromPackage ? ['LICENSE', 'building', 'dist', 'docs/deploy', 'packages/dashboard/dist'] : []
  const folder = join(cache, fingerprint(root, ['package-lock.json', 'testing/programs.ts', ...packages, ...served]))
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    for (const name of readdirSync(cache))
      if (statSync(join(cache, name)).mtimeMs < now - day) rmSync(join(cache, name), { recursive: true, force: true })
    const temporary = join(cache, `${process.pid}.tmp`)
    const shared = nothingShared()
    await buildRuntime({ outDir: temporary, version: 'dev', keys: ownKeys(), shared })
    writeFileSync(join(temporary, sharedBuild), await sharedText(shared))
    await (fromPackage ? unpackService : buildServer)(join(temporary, 'service'))
    await buildKillAt(join(temporary, 'kill-at.cjs'))
    if (existsSync(folder)) rmSync(temporary, { recursive: true })
    else renameSync(temporary, folder)
  }
  return {
    svc: join(folder, 'svc.pyz'),
    server: join(folder, 'service/program/main.mjs'),
    serve: join(folder, 'service/program/serve.mjs'),
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

/** Bundles the service, and puts links beside it to what it serves in the checkout. */
async function buildServer(folder: string): Promise<void> {
  const program = join(folder, 'program')
  await bundleService(program, [sources.server, sources.serve])
  for (const [inCheckout, besideProgram] of Object.values(filesBeside))
    symlinkSync(join(root, inCheckout), join(program, besideProgram))
}

/** Unpacks the package of the service, as people install it, and adds the program that only tests start. */
async function unpackService(folder: string): Promise<void> {
  await bundleService(join(folder, 'program'), [sources.serve])
  await buildPackage(folder, { version: ownVersion(), release: pathBeside('release') })
  const file = join(folder, packageName(ownVersion()))
  execFileSync('tar', ['-xzf', file, '-C', folder, '--strip-components=1'])
  rmSync(file)
}
