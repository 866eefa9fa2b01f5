/**
 * The health item for the programs that an agent needs. The programs are checked when the manifest names others than
 * before, and every five minutes.
 */
import type { Manifest, Need } from '@svc/blueprint'
import { cut, type HealthItem, limits } from '@svc/protocol'
import { duration, wait } from '../base/time.ts'
import { unmetNeeds } from './needs.ts'

const everySeconds = 300

interface ProgramWatch {
  /** Returns a health item if the last check found needed programs that are missing or too old; otherwise none. */
  health(manifest: Pick<Manifest, 'needs'>): HealthItem[]
}

export function watchPrograms(stop: AbortSignal, unmet = unmetNeeds): ProgramWatch {
  let asked = ''
  let needs: readonly Need[] = []
  let wrong: readonly string[] = []
  let watching = false
  const check = async (): Promise<void> => {
    watching = true
    do {
      const about = asked
      const found = await unmet(needs)
      if (about === asked) wrong = found
    } while ((await wait(duration(everySeconds), stop)) && needs.length > 0)
    watching = false
  }
  return {
    health: (manifest) => {
      const now = JSON.stringify(manifest.needs ?? [])
      if (now !== asked) {
        asked = now
        needs = manifest.needs ?? []
        wrong = []
        if (watching) void unmet(needs).then((found) => (wrong = now === asked ? found : wrong))
        else if (needs.length > 0) void check()
      }
      return wrong.length === 0 ? [] : [{ name: 'Programs', level: 'bad', detail: cut(wrong.join(' '), limits.detail) }]
    },
  }
}
