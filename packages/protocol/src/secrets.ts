/** Compares the secrets that a version asks for (2.9) with those of other versions. */
import type { SecretSpec } from './install.ts'

interface Asks<T extends Pick<SecretSpec, 'name'>> {
  readonly secrets: readonly T[]
}

/** Returns the secrets of `wanted` that are missing from at least one of the versions in use. */
export const newSecrets = <T extends Pick<SecretSpec, 'name'>>(
  wanted: Asks<T> | undefined,
  used: readonly Asks<Pick<SecretSpec, 'name'>>[],
): T[] =>
  (wanted?.secrets ?? []).filter(({ name }) =>
    used.some(({ secrets }) => !secrets.some((known) => known.name === name)),
  )

/**
 * The name of the health item of a runtime that lacks required secrets. The list of agents and rollouts recognise it by
 * this name.
 */
export const missingSecrets = 'Missing secrets'
