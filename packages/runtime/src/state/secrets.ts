/** Finds secrets that a version requires and that nobody has typed on this machine. */
import type { Manifest } from '@svc/blueprint'
import { cut, type HealthItem, limits, missingSecrets } from '@svc/protocol'
import { readEnv, whyEnvUnreadable } from '../machine/files/env.ts'
import type { Folder } from '../machine/files/folder.ts'
import { plainHint } from '../machine/hint.ts'

/**
 * The names of the required secrets that are not set, in the order of the manifest; none if the file cannot be read.
 */
export function unsetSecrets({ secrets: file }: Pick<Folder, 'secrets'>, secrets: Manifest['secrets']): string[] {
  const required = secrets.filter(({ optional }) => !optional)
  if (required.length === 0 || whyEnvUnreadable(file) !== undefined) return []
  const set = readEnv(file)
  return required.filter(({ name }) => !set.has(name)).map(({ name }) => name)
}

/** The health item for missing secrets. It does not count toward the level by which an update is judged (D27). */
export function secretsHealth(folder: Pick<Folder, 'secrets'>, { secrets }: Pick<Manifest, 'secrets'>): HealthItem[] {
  const why = secrets.length === 0 ? undefined : whyEnvUnreadable(folder.secrets)
  if (why !== undefined)
    return [
      { name: missingSecrets, level: 'warn', detail: `secrets.env ${why}, so the agent gets none of its secrets.` },
    ]
  const names = unsetSecrets(folder, secrets)
  if (names.length === 0) return []
  const detail = `${names.join(', ')} not set. On its machine: ${plainHint(`secrets set ${names[0]}`)}, then ${plainHint('restart')}.`
  return [{ name: missingSecrets, level: 'warn', detail: cut(detail, limits.detail) }]
}
