import { Text } from '../../../ui/index.ts'

/** Names and values that an agent reported, one a line; what is missing is not there. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: string | undefined])[] }) {
  return (
    <dl className="ag-kv">
      {facts.map(
        ([name, value]) =>
          value !== undefined &&
          value !== '' && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Text>{value}</Text>
              </dd>
            </div>
          ),
      )}
    </dl>
  )
}
