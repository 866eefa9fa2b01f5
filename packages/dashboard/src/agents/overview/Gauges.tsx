import type { Gauge } from '@svc/protocol'
import { useId } from 'react'
import { Text } from '../../ui/index.ts'
import { Section } from '../../ui/parts.tsx'
import { AsOf } from '../parts/AsOf.tsx'
import type { Agent } from '../parts/agent.ts'
import { gaugeView } from './parts/gauge.ts'

export const Gauges = ({ agent, gauges }: { agent: Agent; gauges: readonly Gauge[] }) => (
  <Section title="Gauges" aside={<AsOf agent={agent} />}>
    <ul className="svc-list ag-gauges">
      {gauges.map((gauge, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: gauges have no id; names may be missing or repeat
        <li key={`${i}-${gauge.name}`}>
          <One gauge={gauge} />
        </li>
      ))}
    </ul>
  </Section>
)

function One({ gauge }: { gauge: Gauge }) {
  const id = useId()
  const view = gaugeView(gauge)
  return (
    <>
      <div className="ag-gauge-head">
        <span id={id}>
          <Text>{gauge.name ?? 'Unnamed'}</Text>
        </span>
        <span className="ag-gauge-figure" data-over={view.over}>
          {view.text ?? ''}
          {view.markText !== null && <span className="ag-quiet"> mark {view.markText}</span>}
        </span>
      </div>
      {view.used !== null && (
        // biome-ignore lint/a11y/useSemanticElements: the element <meter> cannot show where the mark stands
        <div
          className="ag-gauge"
          role="meter"
          aria-labelledby={id}
          aria-valuenow={gauge.used}
          aria-valuemin={Math.min(0, gauge.used ?? 0)}
          aria-valuemax={view.max}
          aria-valuetext={[view.text, view.markText && `mark at ${view.markText}`].filter(Boolean).join(', ')}
        >
          <i data-over={view.over} style={{ width: `${view.used * 100}%` }} />
          {view.mark !== null && <b style={{ insetInlineStart: `${view.mark * 100}%` }} />}
        </div>
      )}
      {gauge.detail !== undefined && (
        <div className="ag-quiet">
          <Text>{gauge.detail}</Text>
        </div>
      )}
    </>
  )
}
