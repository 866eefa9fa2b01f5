/**
 * Writes tables as CSV (RFC 4180), so that a spreadsheet reads every cell as text or number and none as a formula
 * (I31).
 */

export type CsvCell = string | number | undefined

/** The byte order mark at the beginning. Without it, Excel shows letters that are not ASCII wrongly. */
const byteOrderMark = '\ufeff'

/**
 * The characters at the beginning of a text that make spreadsheets read it as a formula, also inside quotation marks:
 * those of OWASP's list with their wide and small forms, also after white space and invisible characters.
 */
const formulaStart = /^(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])/u

/**
 * Writes a byte order mark and then rows of cells, each with a line end. Each text is in quotation marks, since
 * spreadsheets of many countries separate cells at a semicolon or a tab.
 */
export const csvOf = (rows: readonly (readonly CsvCell[])[]): string =>
  byteOrderMark + rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

function cellOf(cell: CsvCell): string {
  if (cell === undefined) return ''
  if (typeof cell === 'number') return String(cell)
  return `"${(formulaStart.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`
}
