import type { Gauge } from '@svc/protocol'
import { useId } from 'react'
import { Text } from '../../ui/index.ts'
import { Section } from '../../ui/parts.tsx'
import { figure, percent } from '../../ui/time/format.ts'
import { AsOf } from '../parts/AsOf.tsx'
import type { Agent } from '../parts/agent.ts'

export const Gauges = ({ agent, gauges }: { agent: Agent; gauges: readonly Gauge[] }) => (
  <Section title="Gauges" aside={<AsOf agent={agent} />}>
    <ul className="svc-list ag-gauges">
      {gauges.map((gauge, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: gauges have no id; names may be missing or repeat
        <li key={`${i}-${gauge.name}`}>
          <GaugeLine gauge={gauge} />
        </li>
      ))}
    </ul>
  </Section>
)

function GaugeLine({ gauge }: { gauge: Gauge }) {
  const id = useId()
  const shown = shownGaugeOf(gauge)
  return (
    <>
      <div className="ag-gauge-head">
        <span id={id}>
          <Text>{gauge.name ?? 'Unnamed'}</Text>
        </span>
        <span className="ag-gauge-figure" data-over={shown.over}>
          {shown.text ?? ''}
          {shown.markText !== null && <span className="ag-quiet"> limit {shown.markText}</span>}
        </span>
      </div>
      {shown.used !== null && (
        // biome-ignore lint/a11y/useSemanticElements: the element <meter> cannot show where the mark stands
        <div
          className="ag-gauge"
          role="meter"
          aria-labelledby={id}
          aria-valuenow={gauge.used}
          aria-valuemin={Math.min(0, gauge.used ?? 0)}
          aria-valuemax={shown.max}
          aria-valuetext={[shown.text, shown.markText && `limit ${shown.markText}`].filter(Boolean).join(', ')}
        >
          <i data-over={shown.over} style={{ width: `${shown.used * 100}%` }} />
          {shown.mark !== null && <b style={{ insetInlineStart: `${shown.mark * 100}%` }} />}
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

interface ShownGauge {
  /** The used amount of the gauge as text; null if the agent reported none. */
  readonly text: string | null
  readonly markText: string | null
  /**
   * The share of the bar's width that is filled, from 0 to 1. Null if the agent did not report the used amount, or if
   * `max` is 0.
   */
  readonly used: number | null
  /**
   * The position of the mark on the bar, from 0 to 1. The mark is a limit that the agent reports. Null if there is no
   * mark, or if `max` is 0.
   */
  readonly mark: number | null
  /** The number at the right end of the bar. It is 0 if no number is above 0, unless the gauge shows a share. */
  readonly max: number
  /** True if the used amount has reached the mark of the gauge. */
  readonly over: boolean
}

/**
 * Turns a reported gauge into what the page shows. If the used amount is at most 2 and the mark at most 1, both are
 * shares (2): 1.05 of a budget is 105%. Otherwise both are plain numbers, on a bar that ends at the used amount, or 10%
 * beyond the larger number if there is a mark.
 */
export function shownGaugeOf({ used, mark }: Gauge): ShownGauge {
  const isShare = (used === undefined || (used >= 0 && used <= 2)) && (mark === undefined || (mark >= 0 && mark <= 1))
  const max = isShare ? Math.max(1, used ?? 0) : Math.max(used ?? 0, mark ?? 0, 0) * (mark === undefined ? 1 : 1.1)
  const text = isShare ? percent : figure
  const place = (n: number | undefined) => (n === undefined || !(max > 0) ? null : Math.min(1, Math.max(0, n / max)))
  return {
    text: used === undefined ? null : text(used),
    markText: mark === undefined ? null : text(mark),
    used: place(used),
    mark: place(mark),
    max,
    over: used !== undefined && mark !== undefined && used >= mark,
  }
}
