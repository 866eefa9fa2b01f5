import { newSecrets } from '@svc/protocol'
import { useQueries } from '@tanstack/react-query'
import { read } from '../../data/queries.ts'
import { Text } from '../../ui/index.ts'
import '../updates.css'

interface NewSecretsProps {
  slug: string
  blueprint: string
  /** The version that is about to be requested. */
  version: string
  /**
   * The versions that the agents run now. The new version is compared with at most twenty of them, without those that
   * were deleted from the service.
   */
  running: readonly string[]
}

/**
 * Lists the secrets that the new version needs and that at least one of the running versions does not. Someone at the
 * machine must set them, preferably before the update.
 */
export function NewSecrets({ slug, blueprint, version, running }: NewSecretsProps) {
  const others = [...new Set(running)].filter((each) => each !== version).slice(0, 20)
  const asked = useQueries({
    queries: [version, ...others].map((each) =>
      read('GET /w/:slug/blueprints/:blueprint/versions/:version', { slug, blueprint, version: each }),
    ),
  })
  const [wanted, ...known] = asked.map(({ data }) => data?.manifest)
  const secrets = newSecrets(
    wanted,
    known.filter((manifest) => manifest !== undefined),
  )
  if (secrets.length === 0) return null
  return (
    <div className="up-secrets" role="note">
      <p>
        Version <Text>{version}</Text> asks for {secrets.length === 1 ? 'a secret' : 'secrets'} that{' '}
        <Text>{others.join(', ')}</Text> did not. Set {secrets.length === 1 ? 'it' : 'them'} on the agent’s machine
        first, or the version may not start:
      </p>
      <ul>
        {secrets.map(({ name, purpose, optional }) => (
          <li key={name}>
            <code>
              svc secrets set <Text>{name}</Text>
            </code>{' '}
            <span className="svc-quiet">
              <Text>{purpose}</Text>
              {optional && ' (optional)'}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
