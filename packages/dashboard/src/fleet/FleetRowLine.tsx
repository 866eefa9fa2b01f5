// biome-ignore-all lint/a11y/useSemanticElements: see FleetList
// biome-ignore-all lint/a11y/useFocusableInteractive: see FleetList
import { Checkbox } from '@mantine/core'
import type { FleetRow, FleetUpdates } from '@svc/api'
import { IconLock, IconPin, IconRefreshDot } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import { paths } from '../paths.ts'
import { Cost, Level, PlainTime, Text, useSilent } from '../ui/index.ts'
import { Wished } from '../updates/parts/Wished.tsx'
import { wishWords } from '../updates/parts/words.ts'
import { type ColumnName, columns } from './views/columns.ts'

interface RowProps {
  slug: string
  row: FleetRow
  index: number
  /** The columns that are shown, in their order. */
  names: readonly ColumnName[]
  /** True in narrow windows, in which the row has two lines. */
  narrow: boolean
  chosen: boolean
  /** Called to select or deselect the agent; undefined if agents cannot be selected here. */
  onChoose: ((name: string, index: number, range: boolean) => void) | undefined
}

/**
 * Shows one agent in the list, on one line in wide windows and on two lines in narrow ones. The whole row is a link. The
 * row has the focus, so the link and the box are no tab stops.
 */
export const FleetRowLine = memo(function FleetRowLine(props: RowProps) {
  const { row, index, names, chosen, onChoose } = props
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
      {names.map((name) => {
        const Cell = cells[name]
        return <Cell key={name} {...props} />
      })}
    </>
  )
})

interface CellProps {
  name: ColumnName
  children: ReactNode
  past?: boolean
}

const Cell = ({ name, children, past }: CellProps) => (
  <div className={`fleet-cell fleet-${name}${columns[name].end ? ' fleet-end' : ''}`} role="gridcell" data-past={past}>
    {children}
  </div>
)

/** True if the agent counts as offline, and whether its status is old. */
function useSigns({ silentAt, statusOld }: FleetRow): { silent: boolean; old: boolean } {
  const silent = useSilent(silentAt)
  return { silent, old: statusOld && !silent }
}

/** Shows what the agent does or, where nothing runs, the detail that says why it is in its state. */
function Doing({ row }: { row: FleetRow }) {
  const { silent, old } = useSigns(row)
  const doingText = row.doing ?? row.detail
  if (silent || doingText === null) return null
  return (
    <span className="fleet-label fleet-now">
      {old && <span className="fleet-was">was </span>}
      <Text cut>{doingText}</Text>
    </span>
  )
}

function AgentCell({ slug, row, narrow }: RowProps) {
  return (
    <Cell name="agent">
      <span className="fleet-name">
        <Link
          to={paths.agent}
          params={{ slug, name: row.name }}
          className="fleet-link"
          tabIndex={-1}
          preloadDelay={120}
        >
          <Text cut>{row.name}</Text>
        </Link>
      </span>
      {narrow && row.tags.length > 0 && <span className="fleet-card-tags">{row.tags.join(' ')}</span>}
    </Cell>
  )
}

function StateCell({ row, narrow }: RowProps) {
  const { silent, old } = useSigns(row)
  const stopped = row.stopped !== null
  return (
    <Cell name="state" past={silent || old}>
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
      {narrow && <Doing row={row} />}
    </Cell>
  )
}

/** The tags as links to the agents that have them. */
function TagsCell({ slug, row: { tags } }: RowProps) {
  return (
    <Cell name="tags">
      <span className="fleet-tag-list" title={tags.join(' ')}>
        {tags.map((tag) => (
          <Link
            key={tag}
            to={paths.fleet}
            params={{ slug }}
            search={{ q: `tag:${tag}` }}
            className="fleet-tag"
            tabIndex={-1}
          >
            {tag}
          </Link>
        ))}
      </span>
    </Cell>
  )
}

function SeenCell({ row }: RowProps) {
  const { silent } = useSigns(row)
  const stopped = row.stopped !== null
  return (
    <Cell name="seen">
      {row.seenAt === null ? (
        <span className="fleet-dim">never</span>
      ) : (
        <span className={silent && !stopped ? 'fleet-silent' : undefined}>
          <PlainTime at={row.seenAt} since={stopped ? 'stopped' : silent && 'offline'} />
        </span>
      )}
    </Cell>
  )
}

const TextCell = ({ name, text }: { name: ColumnName; text: string | null }) => (
  <Cell name={name}>{text !== null && <Text cut>{text}</Text>}</Cell>
)

/** The cell of each column. */
const cells: Readonly<Record<ColumnName, (props: RowProps) => ReactNode>> = {
  agent: AgentCell,
  state: StateCell,
  doing: ({ row }) => (
    <Cell name="doing">
      <Doing row={row} />
    </Cell>
  ),
  tags: TagsCell,
  host: ({ row }) => <TextCell name="host" text={row.host} />,
  blueprint: ({ row }) => <TextCell name="blueprint" text={row.updates.blueprint} />,
  seen: SeenCell,
  today: ({ row }) => (
    <Cell name="today">
      <Cost usd={row.costToday} />
    </Cell>
  ),
  month: ({ row }) => (
    <Cell name="month">
      <Cost usd={row.cost30} />
    </Cell>
  ),
  version: ({ row }) => (
    <Cell name="version">
      {row.version !== null && <Text cut>{row.version}</Text>}
      <Wished running={row.version} wished={row.updates.wished} state={row.updates.wishState} short />
      <RuntimeMark updates={row.updates} />
    </Cell>
  ),
  runtime: ({ row }) => <TextCell name="runtime" text={row.updates.runtime} />,
}

/** Marks an agent whose runtime has a requested, held or pinned version. Most rows have no mark. */
function RuntimeMark({ updates }: { updates: FleetUpdates }) {
  const { runtimeHeld, runtimePinned, runtimeWished, runtimeWishState } = updates
  const [Icon, words] = runtimeHeld
    ? [IconLock, 'The served runtime version is on hold for this agent']
    : runtimeWished !== null
      ? [IconRefreshDot, `Runtime ${runtimeWished} requested: ${wishWords[runtimeWishState].word}`]
      : runtimePinned !== null
        ? [IconPin, `Runtime pinned to ${runtimePinned} on its machine`]
        : []
  if (!Icon) return null
  return (
    <span className="fleet-mark" title={words}>
      <Icon size={14} aria-hidden />
      <span className="svc-hidden">{words}</span>
    </span>
  )
}
