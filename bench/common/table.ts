export type Cell = string | number | undefined

/**
 * Formats a Markdown table that can also be read in a terminal: numbers are aligned right, and columns are as wide as
 * their content.
 */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) => headings.map((_, i) => String(row[i] ?? '-')))
  const numeric = headings.map((_, i) => texts.every((row) => /^[-\d.,× %]+$/.test(row[i] ?? '')))
  const widths = headings.map((heading, i) => Math.max(heading.length, 3, ...texts.map((row) => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (numeric[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join(' | ')} |`
  const rule = `| ${widths.map((width, i) => (numeric[i] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width))).join(' | ')} |`
  return [line(headings), rule, ...texts.map(line)].join('\n')
}

/** Formats a count with separators, such as 50000 as `50,000`. */
export const count = (n: number): string => Math.round(n).toLocaleString('en-US')
export const fixed = (n: number, digits = 1): string => (Number.isFinite(n) ? n.toFixed(digits) : '-')
