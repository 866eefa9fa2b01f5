/**
 * Bundles the service: its program in a few files and its worker threads, all in one folder. Tests start such a bundle,
 * and the package for installation contains one.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { containedIn, noticesOf } from '../../building/notices.ts'
import { filesBeside, threadPrograms } from './src/platform/installed.ts'

const root = join(import.meta.dirname, '../..')
const sources = join(import.meta.dirname, 'src')

/**
 * Writes the bundles of these entries (paths of sources) and of the service's worker threads into `outdir`, each under
 * the name of its source with the ending `.mjs`. Returns the absolute paths of all modules that the bundles contain.
 */
export async function bundleService(outdir: string, entries: readonly string[]): Promise<string[]> {
  const options: BuildOptions = {
    absWorkingDir: root,
    entryNames: '[name]',
    chunkNames: 'part-[hash]',
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // The program is in several parts, because `main.ts` turns on the compile cache before it imports the rest.
    splitting: true,
    metafile: true,
    // Most of a start is reading and compiling the bundles. Names stay, so that stack traces can be read.
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
    plugins: [lazyHttp],
  }
  const inputs = new Set<string>()
  for (const entryPoints of [
    [...entries],
    Object.values(threadPrograms).map((thread) => join(sources, `${thread}.ts`)),
  ]) {
    const { metafile } = await build({ ...options, entryPoints })
    for (const input of Object.keys(metafile?.inputs ?? {})) inputs.add(join(root, input))
  }
  return [...inputs]
}

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

/**
 * The package for installation: everything that `npm install -g FILE` needs to run the service, without dependencies.
 */
export interface ServicePackage {
  readonly version: string
  /** The folder with the build of `svc.pyz` that the service in the package offers. */
  readonly release: string
}

export const packageName = (version: string): string => `svc-server-${version}.tgz`

/** Writes the package into `outDir`. The page and the help must be built. */
export async function buildPackage(outDir: string, { version, release }: ServicePackage): Promise<void> {
  const stage = mkdtempSync(join(tmpdir(), 'svc-package-'))
  try {
    const program = join(stage, 'program')
    const modules = await bundleService(program, [join(sources, 'main.ts')])
    const { description, release: served, ...copied } = filesBeside
    for (const [inCheckout, besideProgram] of Object.values(copied))
      cpSync(join(root, inCheckout), join(program, besideProgram), { recursive: true })
    cpSync(release, join(program, served[1]), { recursive: true })
    nameTheCommand(program)
    addDeploymentFiles(join(stage, 'deploy'))
    writeFileSync(join(program, description[1]), `${JSON.stringify(descriptionOf(version), null, 2)}\n`)
    writeFileSync(join(stage, 'NOTICES.txt'), noticesOf('svc-server', containedIn(modules)))
    cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'))
    cpSync(join(ownFiles, 'README.md'), join(stage, 'README.md'))
    cpSync(join(ownFiles, 'svc-server.js'), join(stage, starter))
    chmodSync(join(stage, starter), 0o755)
    mkdirSync(outDir, { recursive: true })
    const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', resolve(outDir)]
    execFileSync('npm', args, { cwd: stage, stdio: ['ignore', 'ignore', 'inherit'] })
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

const ownFiles = join(import.meta.dirname, 'package')
const starter = 'bin/svc-server.js'

/** The package.json of the package. It is private, so that npm refuses to publish it under a name that may be taken. */
const descriptionOf = (version: string) => ({
  name: 'svc-server',
  version,
  private: true,
  description:
    'The service of svc: the page from which people watch and steer the agents that run on their own machines.',
  license: 'Apache-2.0',
  bin: { 'svc-server': starter },
  engines: { node: '>=24' },
})

/**
 * Writes the command as it is typed where the package is installed into the documents of the help and their index, and
 * into the page, which reads it from there.
 */
function nameTheCommand(program: string): void {
  const help = join(program, filesBeside.help[1])
  for (const name of readdirSync(help, { recursive: true, encoding: 'utf8' }))
    if (/\.(html|json)$/.test(name)) edit(join(help, name), (html) => html.replaceAll('npx svc-server', 'svc-server'))
  edit(join(program, filesBeside.page[1], 'index.html'), (html) =>
    html.replace('<html ', '<html data-command="svc-server" '),
  )
}

/**
 * Adds the unit, the container files and the settings of proxies, for people without a checkout. The unit is for a
 * checkout in its folder; systemd finds the installed command of the package by its name.
 */
function addDeploymentFiles(folder: string): void {
  cpSync(join(root, 'docs/deploy'), folder, { recursive: true, filter: (path) => !path.endsWith('.ts') })
  const [inCheckout, installed] = ['/opt/svc/node_modules/.bin/svc-server start', '/usr/bin/env svc-server start']
  edit(join(folder, 'svc.service'), (unit) => unit.replace(`ExecStart=${inCheckout}`, `ExecStart=${installed}`))
}

const edit = (file: string, change: (text: string) => string): void =>
  writeFileSync(file, change(readFileSync(file, 'utf8')))
