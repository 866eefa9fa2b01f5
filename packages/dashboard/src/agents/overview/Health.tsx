import { diskSpace, type HealthItem, missingSecrets } from '@svc/protocol'
import { Level, Text } from '../../ui/index.ts'
import { Dotted, Section } from '../../ui/parts.tsx'
import { AsOf } from '../parts/AsOf.tsx'
import type { Agent } from '../parts/agent.ts'
import { worstFirst } from './parts/arrange.ts'

/**
 * True if the runtime itself added this health item, which is recognised by its name. Such an item is as new as the
 * report, while all other items come from the status file and are as old as that file (D65).
 */
const isOfRuntime = ({ name }: HealthItem): boolean =>
  name === missingSecrets ||
  name === diskSpace ||
  /^(Process|Programs|Status file|Binding [a-z][a-z0-9_]*)$/.test(name ?? '')

/**
 * Shows the agent's health items, the worst first. If the status file is old and the agent is not offline, the items from the status
 * file also show when the file was written.
 */
export function Health({ agent, items }: { agent: Agent; items: readonly HealthItem[] }) {
  const old = agent.page.statusOld && !agent.silent
  return (
    <Section title="Health" flush>
      <ul className="svc-rows">
        {worstFirst(items).map((item, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no id; names may be missing or repeat
          <li key={`${i}-${item.name}`} className="ag-health">
            <span className="ag-health-level">
              {item.level === undefined ? <span className="ag-quiet">No level</span> : <Level level={item.level} />}
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
