/**
 * Finds the oldest version of svc that understands a manifest, so that a rollout leaves out runtimes that would refuse
 * it. Each key and form that was added to the format after 0.1.0 has an entry here.
 */
import { compareVersions, isVersion } from '@svc/protocol'
import type { Manifest } from './shape.ts'

interface Addition {
  readonly since: string
  /** The addition in words, such as `the key "needs"`. */
  readonly what: string
  readonly isUsed: (manifest: Partial<Manifest>) => boolean
}

export const manifestAdditions: readonly Addition[] = [
  { since: '0.2.0', what: 'the key "needs"', isUsed: ({ needs }) => needs !== undefined },
  {
    since: '0.2.0',
    what: 'a state path with a slash at its end',
    isUsed: ({ stateFolders }) => stateFolders !== undefined,
  },
  {
    since: '0.2.0',
    what: 'the key "output" of a log',
    isUsed: ({ logs = [] }) => logs.some(({ output }) => output !== undefined),
  },
]

/** The version of svc that a manifest needs. */
export interface NeededSvc {
  /** The first version of svc that understands everything in the manifest. */
  readonly version: string
  /** The additions to the format that the manifest uses, in words. */
  readonly because: readonly string[]
}

/** Returns the version of svc that a manifest needs; undefined if any version will do. */
export function neededSvc(manifest: Partial<Manifest>): NeededSvc | undefined {
  const used = manifestAdditions.filter(({ isUsed }) => isUsed(manifest))
  const versions = used.map(({ since }) => since).sort(compareVersions)
  const version = versions.at(-1)
  return version === undefined ? undefined : { version, because: used.map(({ what }) => what) }
}

/**
 * True if a runtime of this version is too old for the manifest. False if its version is unknown or no semantic
 * version.
 */
export function isTooOld(runtime: string | undefined, { version }: Pick<NeededSvc, 'version'>): boolean {
  if (runtime === undefined || !isVersion(runtime)) return false
  const [core = runtime] = runtime.split(/[-+]/) // a prerelease understands every manifest that its release does
  return compareVersions(core, version) < 0
}

/** The version of svc that a manifest needs, in words, such as `svc 0.2.0 or newer (the key "needs")`. */
export const neededSvcText = ({ version, because }: NeededSvc): string =>
  `svc ${version} or newer (${because.join(', ')})`
