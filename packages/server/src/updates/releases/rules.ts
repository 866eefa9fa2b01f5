/**
 * Decides what may become the served release (D37). A person may name any build, an older one only with consent. A
 * starting node never moves to an older version, so that an old node that comes back changes nothing (I11).
 */
import { compareVersions } from '@svc/protocol'

/**
 * The facts about a release that decide whether a build may be served instead. They are columns of the release's row,
 * so the stored bytes need not be read.
 */
export interface KnownRelease {
  version: string
  sha256: string
  signed: boolean
}

/** Judges a build that a person wants to serve. `known` are all releases, the served one first. */
export function judgeAdded(
  build: KnownRelease,
  known: readonly KnownRelease[],
  older: boolean,
): 'add' | 'served' | 'taken' | 'older' {
  const [served] = known
  if (!served) return 'add'
  if (same(build, served)) return 'served'
  if (isTaken(build, known)) return 'taken'
  return compareVersions(build.version, served.version) < 0 && !older ? 'older' : 'add'
}

/**
 * Judges a build that a node finds at startup. `alone` is true on SQLite, where no other node uses the database.
 * `isStranger` is true if runtimes of the served release do not know the key that signed the build.
 */
export function judgeFound(
  build: KnownRelease,
  known: readonly KnownRelease[],
  { alone, isStranger = false }: { alone: boolean; isStranger?: boolean },
): 'add' | 'replace' | 'served' | 'taken' | 'older' | 'unsigned' | 'stranger' {
  const [served] = known
  if (!served) return 'add'
  if (same(build, served)) return 'served'
  if (isTaken(build, known)) return 'taken'
  const order = Math.min(...known.map(({ version }) => compareVersions(build.version, version)))
  if (order > 0 && !build.signed) return served.signed ? 'unsigned' : 'add'
  if (order > 0) return isStranger ? 'stranger' : 'add'
  if (order < 0 || served.version !== build.version || served.signed) return 'older'
  if (build.signed) return isStranger ? 'stranger' : 'add'
  return alone ? 'replace' : 'taken'
}

/**
 * True if serving the build would change nothing. A build without signature does not replace a signed one with the same
 * bytes.
 */
const same = (build: KnownRelease, served: KnownRelease): boolean =>
  build.sha256 === served.sha256 && (served.signed || !build.signed)

/**
 * True if the version was already served with a signature and with other bytes. The bytes of a signed version can never
 * change.
 */
const isTaken = ({ version, sha256 }: KnownRelease, known: readonly KnownRelease[]): boolean =>
  known.some((one) => one.version === version && one.signed && one.sha256 !== sha256)
