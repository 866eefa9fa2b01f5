import { type HealthItem, missingSecrets } from '@svc/protocol'
import { Level, Text, useOld } from '../../../ui/index.ts'
import { Dotted, Section } from '../../../ui/parts.tsx'
import { AsOf } from '../parts/AsOf.tsx'
import type { Agent } from '../parts/agent.ts'

/**
 * Shows the health items. Those that the runtime adds are as new as the report; the others are as old as the status
 * file (D65).
 */
const isOfRuntime = ({ name }: HealthItem): boolean =>
  name === missingSecrets || /^(Process|Programs|Status file|Binding [a-z][a-z0-9_]*)$/.test(name ?? '')

export function Health({ agent, items }: { agent: Agent; items: readonly HealthItem[] }) {
  const old = useOld(agent.page.statusAt) && !agent.silent
  return (
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
            <span className="ag-quiet">
              <Dotted
                parts={[
                  item.detail !== undefined && <Text key="detail">{item.detail}</Text>,
                  old && !isOfRuntime(item) && <AsOf key="as-of" agent={agent} />,
                ]}
              />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
