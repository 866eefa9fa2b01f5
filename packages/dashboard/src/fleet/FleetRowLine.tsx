// biome-ignore-all lint/a11y/useSemanticElements: see FleetList
// biome-ignore-all lint/a11y/useFocusableInteractive: see FleetList
import { Checkbox } from '@mantine/core'
import type { FleetRow } from '@svc/api'
import { Link } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import { paths } from '../paths.ts'
import { Cost, PlainTime, Text } from '../ui/index.ts'
import { WishedVersion } from '../updates/parts/Wished.tsx'
import { DayStrip, type StripText } from './row/DayStrip.tsx'
import { failedUpdateOf } from './row/failed-update.ts'
import { FailedUpdateMark, RuntimeMark } from './row/Marks.tsx'
import { AgentDoing, State } from './row/State.tsx'
import { fittingTags, moreText, tagEdges } from './row/tags.ts'
import { measure } from './useRoom.ts'
import { type ColumnName, columnLooks } from './views/columns.ts'

interface RowProps {
  slug: string
  row: FleetRow
  index: number
  /** The columns that are shown, in their order. */
  names: readonly ColumnName[]
  /** True in narrow windows, in which the row has two lines. */
  narrow: boolean
  /** The width for tags in pixels; in narrow windows, for the name of the agent and its tags. */
  tagRoom: number
  chosen: boolean
  /** The last 24 hours of the agent; undefined until they are known. */
  strip: StripText | undefined
  /** Called to select or deselect the agent; undefined if agents cannot be selected here. */
  onChoose: ((name: string, index: number, range: boolean) => void) | undefined
}

/**
 * Shows one agent in the list, on one line in wide windows and on two lines in narrow ones. The whole row is a link.
 * The row has the focus, so the link and the box are no tab stops.
 */
export const FleetRowLine = memo(function FleetRowLine(props: RowProps) {
  const { row, index, names, chosen, onChoose } = props
  return (
    <>
      {onChoose && (
        <div className="fleet-cell fleet-box" role="gridcell">
          {/* biome-ignore lint/a11y/noLabelWithoutControl: the label contains the checkbox and widens its target */}
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

const Cell = ({ name, children }: { name: ColumnName; children: ReactNode }) => (
  <div className={`fleet-cell fleet-${name}${columnLooks[name].end ? ' fleet-end' : ''}`} role="gridcell">
    {children}
  </div>
)

function AgentCell({ slug, row, narrow, tagRoom }: RowProps) {
  const { name, tags } = row
  return (
    <Cell name="agent">
      <span className="fleet-name">
        <Link to={paths.agent} params={{ slug, name }} className="fleet-link" tabIndex={-1} preloadDelay={120}>
          <Text cut>{name}</Text>
        </Link>
      </span>
      {narrow && <CardTags tags={tags} room={tagRoom - measure(name, 'bold')} />}
    </Cell>
  )
}

const smallWidthOf = (text: string): number => measure(text, 'small')

/** The tags that fit into a card next to the name of its agent. */
function CardTags({ tags, room }: { tags: readonly string[]; room: number }) {
  const shown = fittingTags(tags, room, { measure: smallWidthOf, edges: tagEdges.word })
  const words = [...tags.slice(0, shown), ...(shown < tags.length ? [moreText(tags, shown)] : [])].join(' ')
  return tags.length > 0 && smallWidthOf(words) <= room && <span className="fleet-card-tags">{words}</span>
}

/** The state of the agent, and its failed update if the list has no version column. */
function StateCell({ slug, row, narrow, names }: RowProps) {
  return (
    <Cell name="state">
      <span className="fleet-state-now">
        <State slug={slug} row={row} narrow={narrow} />
        {!names.includes('version') && <FailedUpdateMark updates={row.updates} />}
      </span>
      {narrow && <AgentDoing row={row} />}
    </Cell>
  )
}

/** The tags as links to the agents that have them, as many as have room. A single one is cut rather than left out. */
function TagsCell({ slug, row: { tags }, tagRoom }: RowProps) {
  const fitting = fittingTags(tags, tagRoom, { measure: smallWidthOf, edges: tagEdges.framed })
  const shown = tags.length === 1 ? 1 : fitting
  return (
    <Cell name="tags">
      <span className="fleet-tag-list" title={tags.join(' ')}>
        {tags.slice(0, shown).map((tag) => (
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
        {shown < tags.length && <span className="fleet-more-tags">{moreText(tags, shown)}</span>}
        {shown < tags.length && <span className="svc-hidden">{tags.slice(shown).join(' ')}</span>}
      </span>
    </Cell>
  )
}

const SeenCell = ({ row: { seenAt } }: RowProps) => (
  <Cell name="seen">{seenAt === null ? <span className="fleet-dim">never</span> : <PlainTime at={seenAt} />}</Cell>
)

/** The running version, and beside it the requested version or a mark for a failed update. */
function VersionCell({ row: { version, updates } }: RowProps) {
  const hasFailedUpdate = failedUpdateOf(updates) !== undefined
  return (
    <Cell name="version">
      <span className="fleet-versions">
        {version !== null && <Text cut>{version}</Text>}
        {hasFailedUpdate ? (
          <FailedUpdateMark updates={updates} />
        ) : (
          <WishedVersion running={version} wished={updates.wished} state={updates.wishState} short />
        )}
        {!hasFailedUpdate && <RuntimeMark updates={updates} />}
      </span>
    </Cell>
  )
}

const TextCell = ({ name, text }: { name: ColumnName; text: string | null }) => (
  <Cell name={name}>{text !== null && <Text cut>{text}</Text>}</Cell>
)

const cells: Readonly<Record<ColumnName, (props: RowProps) => ReactNode>> = {
  agent: AgentCell,
  state: StateCell,
  day: ({ strip }) => (
    <Cell name="day">
      <DayStrip strip={strip} />
    </Cell>
  ),
  doing: ({ row }) => (
    <Cell name="doing">
      <AgentDoing row={row} />
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
  version: VersionCell,
  runtime: ({ row }) => <TextCell name="runtime" text={row.updates.runtime} />,
}
