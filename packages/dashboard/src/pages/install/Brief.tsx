import type { BlueprintVersion } from '@svc/api'
import { Facts, Text } from '../../ui/index.ts'
import { commandText, needsText } from '../blueprints/parts/words.ts'

/** A version in a few lines, for who is about to install it. */
export function Brief({ version: { manifest, neededSvc } }: { version: BlueprintVersion }) {
  const { runtime, bindings, secrets, needs = [] } = manifest
  return (
    <Facts
      facts={[
        ['What it does', manifest.description],
        [
          'It runs',
          runtime && (
            <Text key="runs" mono>
              {runtime.kind === 'process'
                ? commandText(runtime.command)
                : `docker compose: ${runtime.files.join(', ')}`}
            </Text>
          ),
        ],
        [
          'It works with',
          bindings.length === 0
            ? 'no other product'
            : bindings
                .map(({ product, role, scopes }) => `${product} as ${role} (${scopes.join(', ') || 'no scopes'})`)
                .join('; '),
        ],
        ['Needs on the machine', needsText(needs, neededSvc)],
        [
          'Have ready',
          secrets.length === 0 ? 'nothing: it asks for no secrets' : <Secrets key="secrets" secrets={secrets} />,
        ],
      ]}
    />
  )
}

const Secrets = ({ secrets }: { secrets: BlueprintVersion['manifest']['secrets'] }) => (
  <ul className="in-secrets">
    {secrets.map(({ name, purpose, optional }) => (
      <li key={name}>
        <Text mono>{name}</Text>
        <span className="svc-quiet">
          {' '}
          <Text>{purpose}</Text>
          {optional && ' (optional)'}
        </span>
      </li>
    ))}
  </ul>
)
