/**
 * What may become the served release (D37). A person may name any build, forwards without and backwards with a word; a node
 * that starts only ever goes forwards, so that an older one that comes back lowers nothing (I11).
 */
import { compareVersions } from '@svc/protocol'

/** What is told about a release by its row, without its bytes. */
export interface KnownRelease {
  version: string
  sha256: string
  signed: boolean
}

/** A build that a person names. `known` are all rows, the served one first. */
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

/** A build that a node finds when it starts. `alone`: no other node decides, the database is in this process. */
export function judgeFound(
  build: KnownRelease,
  known: readonly KnownRelease[],
  alone: boolean,
): 'add' | 'replace' | 'served' | 'taken' | 'older' | 'unsigned' {
  const [served] = known
  if (!served) return 'add'
  if (same(build, served)) return 'served'
  if (isTaken(build, known)) return 'taken'
  const order = Math.min(...known.map(({ version }) => compareVersions(build.version, version)))
  if (order > 0) return build.signed || !served.signed ? 'add' : 'unsigned'
  if (order < 0 || served.version !== build.version || served.signed) return 'older'
  if (build.signed) return 'add'
  return alone ? 'replace' : 'taken'
}

/** Nothing would change; a signature that is there is not given up for none. */
const same = (build: KnownRelease, served: KnownRelease): boolean =>
  build.sha256 === served.sha256 && (served.signed || !build.signed)

/** What was signed under a version is that version, for good. */
const isTaken = ({ version, sha256 }: KnownRelease, known: readonly KnownRelease[]): boolean =>
  known.some((one) => one.version === version && one.signed && one.sha256 !== sha256)
