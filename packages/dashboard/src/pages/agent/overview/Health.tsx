import type { HealthItem } from '@svc/protocol'
import { Level, Text } from '../../../ui/index.ts'
import { Section } from '../../../ui/parts.tsx'
import { AsOf } from '../parts/AsOf.tsx'
import type { Agent } from '../parts/agent.ts'

export const Health = ({ agent, items }: { agent: Agent; items: readonly HealthItem[] }) => (
  <Section title="Health" flush aside={<AsOf agent={agent} />}>
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
