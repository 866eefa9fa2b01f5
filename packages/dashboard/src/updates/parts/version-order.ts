import { compareVersions, isVersion } from '@svc/protocol'

/** Sorts versions, the oldest first, and then the agents of all rare versions. */
export function byVersion(a: string, b: string): number {
  if (isVersion(a) && isVersion(b)) return compareVersions(a, b)
  return Number(isVersion(b)) - Number(isVersion(a))
}
