/** Reads the options of `npm run release`. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isVersion, runtimeVersion, shown } from '../../packages/protocol/src/index.ts'
import { readConfig } from '../../packages/server/src/service/config.ts'
import { ReleaseError, whyOf } from './keys.ts'

const root = join(import.meta.dirname, '../..')
const usage = `npm run release -- [--service] [--key FILE] [--add-key] [--version V] [--out FOLDER] [--keys FILE]

  --service       also make svc-server-VERSION.tgz, the package of the service, and SHA256SUMS
  --key FILE      the OpenSSH key to sign with; a public one when an agent holds its private part
  --add-key       add its public part to the keys that are built in, where it is missing
  --version V     the version of the release (default: the one in package.json)
  --out FOLDER    where to put it (default: SVC_RELEASE_DIR, else dist/cli; with --service dist/release)
  --keys FILE     the public keys that are built in (default: packages/runtime/release-keys)`

export interface ReleaseOptions {
  service: boolean
  key: string | undefined
  addKey: boolean
  version: string
  out: string
  keysFile: string
}

export function optionsOf(args: string[]): ReleaseOptions {
  const { service, key, 'add-key': addKey, version, out, keys } = read(args)
  if (!isVersion(version) || !runtimeVersion.test(version))
    throw new ReleaseError(
      `The version of a release must be a semantic version of at most 64 characters without "+", such as 1.4.0: got ${shown(version)}.`,
    )
  return {
    service,
    key: key && resolve(key),
    addKey,
    version,
    out: out !== undefined ? resolve(out) : service ? join(root, 'dist/release') : readConfig().releaseDir,
    keysFile: keys === undefined ? join(root, 'packages/runtime/release-keys') : resolve(keys),
  }
}

function read(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        service: { type: 'boolean', default: false },
        key: { type: 'string' },
        'add-key': { type: 'boolean', default: false },
        version: { type: 'string', default: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version },
        out: { type: 'string' },
        keys: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) {
      process.stdout.write(`${usage}\n`)
      process.exit(0)
    }
    return values
  } catch (error) {
    process.stderr.write(`svc: ${whyOf(error)}\n\n${usage}\n`)
    process.exit(2)
  }
}
