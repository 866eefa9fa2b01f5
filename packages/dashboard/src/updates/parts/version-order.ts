import { compareVersions, isVersion } from '@svc/protocol'

/** Compares the names of two series: versions come first, the oldest before newer ones, then `rare versions`. */
export function byVersion(a: string, b: string): number {
  if (isVersion(a) && isVersion(b)) return compareVersions(a, b)
  return Number(isVersion(b)) - Number(isVersion(a))
}
