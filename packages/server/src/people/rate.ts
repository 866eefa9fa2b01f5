/** Tries to sign in, counted in memory: per caller, per account from one caller, and per account from everywhere. */

export interface Rate {
  /** Counts a try; the seconds to wait when it was one too many, else undefined. */
  take(key: string, now: number): number | undefined
  /** Takes the tries back: the person has shown who they are. */
  forget(key: string): void
}

/** At most `most` tries of one key within `seconds`, in a window that slides. */
export function rateLimit(most: number, seconds: number): Rate {
  const tries = new Map<string, number[]>()
  let swept = 0
  return {
    take(key, now) {
      const since = now - seconds * 1000
      if (now - swept > seconds * 1000) {
        for (const [k, all] of tries) if ((all.at(-1) ?? 0) <= since) tries.delete(k)
        swept = now
      }
      const recent = (tries.get(key) ?? []).filter((at) => at > since)
      const first = recent[0]
      if (recent.length >= most && first !== undefined) return Math.max(1, Math.ceil((first - since) / 1000))
      recent.push(now)
      tries.set(key, recent)
      return undefined
    },
    forget: (key) => void tries.delete(key),
  }
}
