/** Makes real releases: built, signed by a key that is made here, and served as the service serves them. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { programs } from '../../../testing/program.ts'
import { nothingShared, readShared, type SharedResults } from '../archive/parts.ts'
import { type BuiltRuntime, buildRuntime } from '../build.ts'
import { minNode } from '../src/machine/base/version.ts'
import type { Came, Reply, Service } from './service.ts'

export interface Build {
  readonly version: string
  readonly file: string
  readonly sha256: string
  readonly bytes: Buffer
}
/** The keys that sign releases. `own` and `second` are built into the runtime; `strange` is not. */
export type Key = 'own' | 'second' | 'strange'
export interface Workshop {
  /** The public keys that a release built here trusts, unless its build names others. */
  readonly keys: readonly string[]
  /**
   * Builds a release. Each combination of version, keys and `first` (code that runs before everything else) is built
   * only once.
   */
  build(version: string, options?: { readonly first?: string; readonly keys?: readonly string[] }): Promise<Build>
  sign(bytes: Uint8Array, by?: { readonly namespace?: string; readonly key?: Key }): Buffer
  remove(): void
}

let shared: SharedResults | undefined
/**
 * Builds the runtime for tests that do not change the sources. Only the first build of a test run takes seconds of CPU.
 */
export function quickBuild(options: Omit<Parameters<typeof buildRuntime>[0], 'shared'>): Promise<BuiltRuntime> {
  const { sharedBuild } = programs
  shared ??= sharedBuild === undefined ? nothingShared() : readShared(readFileSync(sharedBuild, 'utf8'))
  return buildRuntime({ ...options, shared })
}

/**
 * With `SVC_TEST_BEFORE=DIR`, version 1.0.0 is built from the checkout in DIR, so that the current sources are tested
 * together with those of an earlier version.
 */
const before = process.env.SVC_TEST_BEFORE
async function buildFrom(root: string, options: Parameters<typeof buildRuntime>[0]): Promise<BuiltRuntime> {
  const build = pathToFileURL(join(root, 'packages/runtime/build.ts')).href
  const script = `const { buildRuntime } = await import(${JSON.stringify(build)}); console.log(JSON.stringify(await buildRuntime(${JSON.stringify(options)})))`
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', cwd: root }),
  )
}

export function openWorkshop(): Workshop {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-releases-')))
  const keyAt = (name: string) => {
    const file = join(folder, name)
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file])
    return readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ').trim()
  }
  const trusted = [keyAt('second'), keyAt('own')]
  keyAt('strange')
  const all = new Map<string, Promise<Build>>()
  return {
    keys: trusted,
    build: (version, { first = '', keys = trusted } = {}) => {
      const name = createHash('sha256')
        .update(JSON.stringify([version, first, keys]))
        .digest('hex')
        .slice(0, 12)
      const known = all.get(name)
      if (known) return known
      const options = { outDir: join(folder, name), version, first, keys }
      const built = version === '1.0.0' && before ? buildFrom(before, options) : quickBuild(options)
      const made = built.then(({ file, sha256 }) => ({
        version,
        file,
        sha256,
        bytes: readFileSync(file),
      }))
      all.set(name, made)
      return made
    },
    sign: (bytes, { namespace = 'svc-runtime', key = 'own' } = {}) =>
      execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', join(folder, key), '-n', namespace], {
        input: bytes,
        stdio: ['pipe', 'pipe', 'ignore'],
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A release that the tests' service serves and wishes. */
export interface Served {
  readonly version: string
  readonly bytes: Uint8Array
  /** The signature of the file. If absent, the service serves none. */
  readonly sig?: Uint8Array
  /**
   * Wrong checksums with which a test lets the service lie about the file: `sha256` in its answers, `header` in the
   * header of the download.
   */
  readonly sha256?: string
  readonly header?: string
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/**
 * Makes the tests' service serve a release, and wish it in every answer. Returns a list to which each request for
 * `/cli/` is added.
 */
export function serveRelease(service: Service, { version, bytes, sig, sha256, header }: Served): Came[] {
  const asked: Came[] = []
  const truth = hashOf(bytes)
  service.other = (response, came) => {
    if (came.path.startsWith('/cli/')) asked.push(came)
    if (came.path === '/cli/svc.pyz')
      response.writeHead(200, { 'x-svc-sha256': header ?? truth, 'content-length': bytes.length }).end(bytes)
    else if (came.path === '/cli/svc.pyz.sig' && sig) response.writeHead(200, { 'content-length': sig.length }).end(sig)
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
  }
  service.usual = wishes(version, sha256 ?? truth)
  return asked
}

/** An answer that wishes a version of the runtime. A report without a runtime gets no wish. */
export const wishes =
  (version: string, sha256: string): Reply =>
  (response, { report }) => {
    const runtime = report.runtime ? { runtime: { version, sha256 }, runtime_desired: version } : {}
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ commands: [], interval: 5, ...runtime }))
  }

/** Copies a built file to the place where an installed agent keeps its runtime. */
export function installRuntime(
  place: { readonly runtime: string; readonly runtimeFolder: string },
  build: Build,
): void {
  execFileSync('mkdir', ['-p', place.runtimeFolder])
  writeFileSync(place.runtime, build.bytes, { mode: 0o755 })
}

/** The path of a Node of the oldest version that the runtime supports, if this machine has one. */
export const minNodeHere: string | undefined = ['/usr/local/bin/node', '/usr/bin/node'].find((file) => {
  try {
    return execFileSync(file, ['--version'], { encoding: 'utf8' }).startsWith(`v${minNode}.`)
  } catch {
    return false
  }
})
