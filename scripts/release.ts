/**
 * `npm run release -- --key FILE` builds `svc.pyz`, signs it with an OpenSSH key, verifies the signature as every
 * runtime will, and puts the build with its checksum and signature into the folder from which the service reads it.
 * Without a key the build is not signed. `--service` also makes the package of the service and a file of checksums, and
 * puts everything into another folder (dist/release), so that the service of this checkout serves the same as before.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { sizeText } from '../packages/protocol/src/index.ts'
import { buildRuntime } from '../packages/runtime/build.ts'
import { buildPackage, packageName } from '../packages/server/build.ts'
import { readBuild } from '../packages/server/src/updates/releases/build.ts'
import { build, markRuntimeBuilt } from './build.ts'
import { addKey, keysOf, publicPart, ReleaseError } from './release/keys.ts'
import { optionsOf, type ReleaseOptions } from './release/options.ts'
import { sign, verify } from './release/sign.ts'

const root = join(import.meta.dirname, '..')
async function release({ service, key, addKey, version, out, keysFile }: ReleaseOptions): Promise<void> {
  const keys = builtInKeys(key, keysFile, addKey)
  const work = mkdtempSync(join(tmpdir(), 'svc-release-'))
  try {
    const { file, sha256 } = await buildRuntime({ outDir: work, version, keys })
    const signature = key === undefined ? undefined : sign(file, key)
    if (signature) {
      verify(file, signature, keys)
      writeFileSync(`${file}.sig`, signature)
    }
    const judged = await readBuild(work)
    if (!judged?.ok) throw new ReleaseError(`The service would refuse this build: ${judged?.message}`)
    if (service) await addService(work, { version, key, keys })
    placeFile(work, out)
    if (out === join(root, 'dist/cli')) markRuntimeBuilt()
    tell({ service, version, sha256, out, signedBy: key === undefined ? undefined : publicPart(key) })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Adds the package of the service, which contains this build of `svc.pyz`, and the checksums of both to the folder. */
async function addService(
  work: string,
  { version, key, keys }: { version: string; key: string | undefined; keys: string[] },
) {
  await build({ runtime: false })
  await buildPackage(work, { version, release: work })
  const sums = join(work, 'SHA256SUMS')
  const lines = [packageName(version), 'svc.pyz'].map((name) => `${sha256OfFile(join(work, name))}  ${name}\n`)
  writeFileSync(sums, lines.join(''))
  if (key === undefined) return
  const signature = sign(sums, key, 'svc-release-sums')
  verify(sums, signature, keys, 'svc-release-sums')
  writeFileSync(`${sums}.sig`, signature)
}

const sha256OfFile = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

/**
 * The public keys from which every runtime of this build will accept releases. The key that signs this release must be
 * among them; otherwise the runtimes would refuse the next release that it signs.
 */
function builtInKeys(key: string | undefined, keysFile: string, add: boolean): string[] {
  const keys = keysOf(keysFile)
  if (key === undefined) return keys
  const ownKey = publicPart(key)
  if (keys.includes(ownKey)) return keys
  const name = relative(process.cwd(), keysFile)
  if (!add) {
    throw new ReleaseError(
      `The key ${key} is not among those that are built in, so no runtime would accept the release. Add this line to ${name}, or say --add-key:\n\n${ownKey}\n`,
    )
  }
  addKey(keysFile, ownKey)
  process.stdout.write(`Added to ${name}; commit it:\n  ${ownKey}\n`)
  return [...keys, ownKey]
}

/**
 * Copies the files of a release into their folder, and removes what an earlier release left there. A service that reads
 * the folder meanwhile finds a checksum or signature that does not match, and continues to serve the previous release.
 */
function placeFile(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  const made = readdirSync(from)
  for (const name of made) {
    const temporary = join(to, `${name}.${process.pid}.tmp`)
    writeFileSync(temporary, readFileSync(join(from, name)), { mode: name === 'svc.pyz' ? 0o755 : 0o644 })
    renameSync(temporary, join(to, name))
  }
  for (const name of readdirSync(to)) if (isOfRelease.test(name) && !made.includes(name)) rmSync(join(to, name))
}

const isOfRelease = /^(svc\.pyz\.sig|SHA256SUMS(\.sig)?|svc-server-.*\.tgz)$/

function tell({
  service,
  version,
  sha256,
  out,
  signedBy,
}: {
  service: boolean
  version: string
  sha256: string
  out: string
  signedBy: string | undefined
}) {
  const lines = [`Release ${version} is in ${out}`, `  SHA-256 ${sha256}`]
  if (signedBy !== undefined) lines.push(`  signed by ${signedBy}`)
  else
    lines.push(
      '  NOT SIGNED: it can be fetched and installed, but no runtime updates itself to it, and /cli/svc.pyz.sig answers 404.',
      '  To sign it: ssh-keygen -t ed25519 -f release-key, once, then npm run release -- --key release-key --add-key',
    )
  if (hasChanges()) lines.push('  The checkout has changes that are not committed: nobody else can build these bytes.')
  if (service) lines.push(...ofPackage(out, version))
  lines.push(`To serve it: npx svc-server release add ${relative(process.cwd(), out) || '.'}`)
  process.stdout.write(`${lines.join('\n')}\n`)
}

const ofPackage = (out: string, version: string): string[] => {
  const file = join(out, packageName(version))
  return [
    `The package of the service: ${file} (${sizeText(statSync(file).size)})`,
    `  To install it: npm install -g ${file}`,
  ]
}

function hasChanges(): boolean {
  try {
    return execFileSync('git', ['status', '--porcelain'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] }).length > 0
  } catch {
    return false // this folder is not a git checkout
  }
}

try {
  await release(optionsOf(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error
  process.stderr.write(`svc: ${error.message}\n`)
  process.exitCode = 1
}
