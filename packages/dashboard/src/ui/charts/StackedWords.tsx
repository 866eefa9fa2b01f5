import { Text } from '../values/Text.tsx'
import { colorOf } from './palette.ts'
import type { Stack, StackedColumn } from './stack.ts'

/** Functions that put the values and the column names of a chart into words. */
export interface StackWords {
  format: (value: number) => string
  /** Converts the key of a column to the name that people read. */
  nameOf: (key: string) => string
}

/** Shows one column of a chart as a line: the column's name and sum, and its parts from the top to the bottom. */
export function Reading({ column, format, nameOf }: StackWords & { column: StackedColumn }) {
  return (
    <>
      <strong>{nameOf(column.key)}</strong> {format(column.total)}
      {[...column.parts].reverse().map((part) => (
        <span key={part.series.name}>
          <i style={{ background: colorOf(part.series.color) }} />
          <Text>{part.series.name}</Text> {format(part.value)}
        </span>
      ))}
    </>
  )
}

/** Describes one column of a chart in a line of text, for screen readers. */
export const readingText = (column: StackedColumn, { format, nameOf }: StackWords): string =>
  [
    `${nameOf(column.key)}: ${format(column.total)}`,
    ...column.parts.map((part) => `${part.series.name} ${format(part.value)}`),
  ].join(', ')

/** Shows the series of a chart with their colours and sums; nothing if there is only one series. */
export const Legend = ({ series, format }: Pick<Stack, 'series'> & Pick<StackWords, 'format'>) =>
  series.length > 1 && (
    <ul className="svc-chart-legend">
      {series.map((one) => (
        <li key={`${one.color}${one.name}`}>
          <i style={{ background: colorOf(one.color) }} aria-hidden />
          <Text>{one.name}</Text>
          <span className="svc-chart-sum">{format(one.total)}</span>
        </li>
      ))}
    </ul>
  )

/** Shows the figures of the chart as a table. Days without a figure are left out. */
export function AsTable({ title, stack, format, nameOf }: StackWords & { title: string; stack: Stack }) {
  return (
    <details className="svc-chart-table">
      <summary>Show as table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard */}
      <section tabIndex={0} aria-label={`${title}, as a table`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {stack.series.map((one) => (
                <th scope="col" key={`${one.color}${one.name}`}>
                  <Text>{one.name}</Text>
                </th>
              ))}
              <th scope="col">Total</th>
            </tr>
          </thead>
          <tbody>
            {stack.columns
              .filter((column) => column.total > 0)
              .map((column) => (
                <tr key={column.key}>
                  <th scope="row">{nameOf(column.key)}</th>
                  {stack.series.map((one) => {
                    const part = column.parts.find(({ series }) => series === one)
                    return <td key={`${one.color}${one.name}`}>{part ? format(part.value) : ''}</td>
                  })}
                  <td>{format(column.total)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}
