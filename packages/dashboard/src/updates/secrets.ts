import type { BlueprintVersion } from '@svc/server/api'

type Manifest = BlueprintVersion['manifest']
type Secret = Manifest['secrets'][number]

/** The secrets of a version that at least one of the versions in use does not ask for. Pure. */
export const newSecrets = (
  wanted: Pick<Manifest, 'secrets'> | undefined,
  used: readonly Pick<Manifest, 'secrets'>[],
): Secret[] =>
  (wanted?.secrets ?? []).filter(({ name }) =>
    used.some(({ secrets }) => !secrets.some((known) => known.name === name)),
  )
