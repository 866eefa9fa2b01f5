/** Writes tables as CSV (RFC 4180), so that a spreadsheet reads every cell as text or number and none as a formula (I31). */

export type CsvCell = string | number | undefined

/** Writes rows of cells, each row with a line end. */
export const csvOf = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

function cellOf(cell: CsvCell): string {
  if (cell === undefined) return ''
  if (typeof cell === 'number') return String(cell)
  // Spreadsheets treat a cell that begins with one of these characters as a formula, also inside quotation marks.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
