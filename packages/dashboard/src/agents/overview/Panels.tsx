import { Badge } from '@mantine/core'
import { type Cell, levels, type Panel, type PanelType } from '@svc/protocol'
import type { ComponentType, ReactNode } from 'react'
import { Level, Text, UntrustedLink } from '../../ui/index.ts'
import { Scroll, Section } from '../../ui/parts.tsx'
import { AsOf } from '../parts/AsOf.tsx'
import type { Agent } from '../parts/agent.ts'

type PanelOf<T extends PanelType> = Extract<Panel, { type: T }>

/**
 * The component that shows each of the four types of panels (2.3). A new type of panel does not compile without a
 * component.
 */
const bodies: { [T in PanelType]: ComponentType<{ panel: PanelOf<T> }> } = {
  list: ListPanel,
  table: TablePanel,
  kv: KvPanel,
  text: TextPanel,
}

export function PanelSection({ agent, panel }: { agent: Agent; panel: Panel }) {
  const Body = bodies[panel.type] as ComponentType<{ panel: Panel }>
  return (
    <Section title={panel.title === '' ? 'Untitled' : <Text>{panel.title}</Text>} flush aside={<AsOf agent={agent} />}>
      <Body panel={panel} />
    </Section>
  )
}

const Nothing = () => <p className="ag-nothing">Empty.</p>

function ListPanel({ panel: { items } }: { panel: PanelOf<'list'> }) {
  if (!items || items.length === 0) return <Nothing />
  const leveled = items.some(({ level }) => level !== undefined)
  return (
    <ul className="svc-rows">
      {items.map((item, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no id, and titles may repeat
        <li key={`${i}-${item.title}`} className="ag-item">
          {leveled && (
            <span className="ag-item-level">
              {item.level !== undefined && levels.includes(item.level) && <Level level={item.level} iconOnly />}
            </span>
          )}
          <span className="ag-item-title">
            <UntrustedLink title={item.title} url={item.url} />
          </span>
          {item.badge !== undefined && (
            <Badge variant="light" color="gray" size="sm" tt="none" fw={550} className="ag-badge">
              <Text>{item.badge}</Text>
            </Badge>
          )}
          {item.meta !== undefined && (
            <span className="ag-quiet ag-item-meta" data-long={item.meta.length > 24}>
              <Text>{item.meta}</Text>
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

/**
 * Shows a panel that is a table. A row may have more or fewer cells than there are headings; each cell is below its
 * heading.
 */
function TablePanel({ panel: { columns = [], rows = [], title } }: { panel: PanelOf<'table'> }) {
  if (columns.length === 0 && rows.length === 0) return <Nothing />
  const width = rows.reduce((max, row) => Math.max(max, row.length), columns.length)
  const places = Array.from({ length: width }, (_, i) => i)
  const numeric = places.map((i) => rows.length > 0 && rows.every((row) => isFigure(row[i])))
  return (
    <Scroll className="ag-scroll" label={title}>
      <table className="ag-table">
        {columns.length > 0 && (
          <thead>
            <tr>
              {places.map((i) => (
                <HeadCell key={i} numeric={numeric[i] === true}>
                  {columns[i] && <Text>{columns[i]}</Text>}
                </HeadCell>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, r) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id
            <tr key={r}>
              {places.map((i) => (
                <td key={i} data-numeric={numeric[i]} data-short={(textOf(row[i]) ?? '').length < 36}>
                  <CellText cell={row[i]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

/**
 * A heading of a table. A heading without words is a plain cell, because screen readers would announce an empty
 * heading.
 */
const HeadCell = ({ children, numeric }: { children: ReactNode; numeric: boolean }) =>
  children ? (
    <th scope="col" data-numeric={numeric}>
      {children}
    </th>
  ) : (
    <td />
  )

const textOf = (cell: Cell | undefined) => (typeof cell === 'object' ? cell.text : cell)
const isFigure = (cell: Cell | undefined) => {
  const text = textOf(cell)
  return text === undefined || text === '' || /^[-+]?[$€£]?[\d.,\s]*\d\s?(%|[a-zA-Zµ]{1,3})?$/.test(text)
}

function CellText({ cell }: { cell: Cell | undefined }) {
  if (cell === undefined || cell === '') return null
  if (typeof cell === 'string') return <Text>{cell}</Text>
  return <UntrustedLink title={cell.text} url={cell.url} host={false} />
}

function KvPanel({ panel: { items } }: { panel: PanelOf<'kv'> }) {
  if (!items || items.length === 0) return <Nothing />
  return (
    <dl className="svc-kv">
      {items.map((item, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no id, and labels may repeat
        <div key={`${i}-${item.label}`}>
          <dt>
            <Text>{item.label}</Text>
          </dt>
          <dd>
            <Text lines>{item.value}</Text>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function TextPanel({ panel: { lines, title } }: { panel: PanelOf<'text'> }) {
  if (!lines || lines.length === 0) return <Nothing />
  return (
    <Scroll className="ag-scroll ag-lines" label={title}>
      {lines.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id
        <div key={i}>
          <bdi>{line === '' ? '\u00a0' : line}</bdi>
        </div>
      ))}
    </Scroll>
  )
}
