// biome-ignore-all lint/a11y/useSemanticElements: see FleetList
// biome-ignore-all lint/a11y/useFocusableInteractive: see FleetList
import { Checkbox } from '@mantine/core'
import type { FleetRow } from '@svc/api'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { paths } from '../../paths.ts'
import { Cost, Level, PlainTime, Text, useOld, useSilent } from '../../ui/index.ts'
import { Wished } from '../../updates/Wished.tsx'
import { RuntimeMark } from './RuntimeMark.tsx'

interface RowProps {
  slug: string
  row: FleetRow
  index: number
  /** True in narrow windows, in which the row has two lines and fewer cells. */
  narrow: boolean
  chosen: boolean
  /** Called to select or deselect the agent; undefined if agents cannot be selected here. */
  onChoose: ((name: string, index: number, range: boolean) => void) | undefined
}

/**
 * Shows one agent in the list, on one line in wide windows and on two lines in narrow ones. The whole row is a link. The
 * row has the focus, so the link and the box are no tab stops.
 */
export const FleetRowLine = memo(function FleetRowLine({ slug, row, index, narrow, chosen, onChoose }: RowProps) {
  const silent = useSilent(row.silentAt)
  const stopped = row.stopped !== null
  const old = useOld(row.statusAt) && !silent
  // Where nothing runs, the detail says why the agent is in its state.
  const now = row.doing ?? row.detail
  const doing = !silent && now !== null && (
    <span className="fleet-label fleet-now">
      {old && <span className="fleet-was">was </span>}
      <Text cut>{now}</Text>
    </span>
  )
  return (
    <>
      {onChoose && (
        <div className="fleet-cell fleet-box" role="gridcell">
          {/* biome-ignore lint/a11y/noLabelWithoutControl: the box is in it, and a press beside it counts, too */}
          <label>
            <Checkbox
              size="xs"
              checked={chosen}
              onChange={(event) => onChoose(row.name, index, (event.nativeEvent as MouseEvent).shiftKey === true)}
              aria-label={`Select ${row.name}`}
              tabIndex={-1}
            />
          </label>
        </div>
      )}
      <div className="fleet-cell fleet-agent" role="gridcell">
        <Link
          to={paths.agent}
          params={{ slug, name: row.name }}
          className="fleet-link"
          tabIndex={-1}
          preloadDelay={120}
        >
          <Text cut>{row.name}</Text>
        </Link>
      </div>
      <div className="fleet-cell fleet-state" role="gridcell" data-past={silent || old}>
        <Level
          level={row.level}
          silent={silent}
          stopped={stopped}
          old={old}
          late={old && row.statusLate}
          lacking={row.secretsMissing}
          never={row.silentAt === null}
          iconOnly={row.label !== null}
        />
        {row.label !== null && (
          <span className="fleet-label">
            {silent && !stopped && <span className="fleet-was">was </span>}
            <Text cut>{row.label}</Text>
          </span>
        )}
        {old && row.statusAt !== null && (
          <span className="fleet-age" data-late={row.statusLate}>
            <PlainTime at={row.statusAt} />
          </span>
        )}
        {narrow && doing}
      </div>
      {!narrow && (
        <div className="fleet-cell fleet-doing" role="gridcell">
          {doing}
        </div>
      )}
      <div className="fleet-cell fleet-seen" role="gridcell">
        {row.seenAt === null ? (
          <span className="fleet-dim">never</span>
        ) : (
          <span className={silent && !stopped ? 'fleet-silent' : undefined}>
            <PlainTime at={row.seenAt} since={stopped ? 'stopped' : silent && 'offline'} />
          </span>
        )}
      </div>
      <div className="fleet-cell fleet-today fleet-end" role="gridcell">
        <Cost usd={row.costToday} />
      </div>
      <div className="fleet-cell fleet-month fleet-end" role="gridcell">
        <Cost usd={row.cost30} />
      </div>
      <div className="fleet-cell fleet-version" role="gridcell">
        {row.version !== null && <Text cut>{row.version}</Text>}
        <Wished running={row.version} wished={row.updates.wished} state={row.updates.wishState} short />
        <RuntimeMark updates={row.updates} />
      </div>
    </>
  )
})
