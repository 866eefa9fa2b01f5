/** Compares the secrets that one version of a blueprint needs (2.9) with those of other versions. */
import type { SecretSpec } from './install.ts'

interface Asks<T extends Pick<SecretSpec, 'name'>> {
  readonly secrets: readonly T[]
}

/** Returns the secrets of `wanted` that at least one of the used versions does not have. */
export const newSecrets = <T extends Pick<SecretSpec, 'name'>>(
  wanted: Asks<T> | undefined,
  used: readonly Asks<Pick<SecretSpec, 'name'>>[],
): T[] =>
  (wanted?.secrets ?? []).filter(({ name }) =>
    used.some(({ secrets }) => !secrets.some((known) => known.name === name)),
  )

/**
 * The name of the health item that a runtime reports if required secrets are missing. The service recognises this
 * health item by its name.
 */
export const missingSecrets = 'Missing secrets'
