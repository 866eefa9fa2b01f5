/** Markdown tables. */

/** Formats a Markdown table as the formatter leaves it: every column is as wide as its widest cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((cells) => cells.map(escaped))
  const widths = head.map((_, at) => Math.max(3, ...all.map((cells) => cells[at]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`
  const [first = [], ...others] = all
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n')
}

/** Escapes the bars in the text of a cell, since a bar would end the cell, also in code. */
const escaped = (cell: string) => cell.replaceAll('|', '\\|')

export const code = (text: string) => `\`${text}\``

/** Joins several lines into the text of one cell. */
export const lines = (all: readonly string[]) => all.join('<br>')
