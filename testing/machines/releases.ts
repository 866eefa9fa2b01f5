/** Makes releases for tests of containers and machines, as `npm run release` does. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export interface ReleaseOptions {
  version: string
  /** The folder that gets the files of the release. */
  out: string
  /** The file with the public keys that are built into `svc.pyz`. */
  keys: string
  /** The private key that signs it and joins `keys`; without one nothing is signed. */
  key?: string
  /** True for a release that also contains the package of the service. */
  service?: boolean
}

export function makeRelease({ version, out, keys, key, service = false }: ReleaseOptions): void {
  const args = ['--version', version, '--out', out, '--keys', keys]
  if (key !== undefined) args.push('--key', key, '--add-key')
  if (service) args.push('--service')
  execFileSync(process.execPath, [join(root, 'scripts/release.ts'), ...args], { stdio: 'pipe' })
}
