import type { BlueprintVersion } from '@svc/api'
import { Facts, Text } from '../../ui/index.ts'
import { commandText, needsText } from '../parts/words.ts'

/** Summarises a version of a blueprint for the person who is about to install it. */
export function VersionBrief({ version: { manifest, neededSvc } }: { version: BlueprintVersion }) {
  const { runtime, bindings, secrets, needs = [] } = manifest
  return (
    <Facts
      facts={[
        ['What it does', manifest.description],
        [
          'Command',
          runtime && (
            <Text key="runs" mono>
              {runtime.kind === 'process'
                ? commandText(runtime.command)
                : `docker compose: ${runtime.files.join(', ')}`}
            </Text>
          ),
        ],
        [
          'Works with',
          bindings.length === 0
            ? 'no other products'
            : bindings
                .map(({ product, role, scopes }) => `${product} as ${role} (${scopes.join(', ') || 'no scopes'})`)
                .join('; '),
        ],
        ['Required programs', needsText(needs, neededSvc)],
        ['You will need', secrets.length === 0 ? 'no secrets' : <Secrets key="secrets" secrets={secrets} />],
      ]}
    />
  )
}

const Secrets = ({ secrets }: { secrets: BlueprintVersion['manifest']['secrets'] }) => (
  <ul className="svc-list">
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
