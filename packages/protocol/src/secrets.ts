/** Secrets that a version asks for (2.9), compared with those of other versions. */
import type { SecretSpec } from './install.ts'

interface Asks<T extends Pick<SecretSpec, 'name'>> {
  readonly secrets: readonly T[]
}

/** The secrets of a version that at least one of the versions in use does not ask for. */
export const newSecrets = <T extends Pick<SecretSpec, 'name'>>(
  wanted: Asks<T> | undefined,
  used: readonly Asks<Pick<SecretSpec, 'name'>>[],
): T[] =>
  (wanted?.secrets ?? []).filter(({ name }) =>
    used.some(({ secrets }) => !secrets.some((known) => known.name === name)),
  )

/** The health item of a runtime that lacks required secrets: the list of agents and rollouts know it by this name. */
export const missingSecrets = 'Missing secrets'
