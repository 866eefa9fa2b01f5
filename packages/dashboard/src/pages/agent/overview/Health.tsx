import type { HealthItem } from '@svc/protocol'
import { Level, Text } from '../../../ui/index.ts'
import { Section } from '../../../ui/parts.tsx'

export const Health = ({ items }: { items: readonly HealthItem[] }) => (
  <Section title="Health" flush>
    <ul className="svc-rows">
      {items.map((item, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no id; names may be missing or repeat
        <li key={`${i}-${item.name}`} className="ag-health">
          <span className="ag-health-level">
            <Level level={item.level} />
          </span>
          {item.name !== undefined && (
            <span className="ag-health-name">
              <Text>{item.name}</Text>
            </span>
          )}
          {item.detail !== undefined && (
            <span className="ag-quiet">
              <Text>{item.detail}</Text>
            </span>
          )}
        </li>
      ))}
    </ul>
  </Section>
)
