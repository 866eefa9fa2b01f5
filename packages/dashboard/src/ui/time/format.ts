/** Puts numbers into words for people: counts, shares, sizes. */

const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })
const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const groupDigits = (n: number) => grouped.format(n)

/** Formats a number with at most three decimals: `1,234.5`. */
export const figure = (n: number): string => plain.format(n)
/** Formats a number of tokens: `1,234` up to 9,999, and then `12.3K`. */
export const tokensText = (n: number): string => (n < 10_000 ? groupDigits(n) : compact.format(n))
/** Formats a share from 0 to 1: `42%`, `0.4%`, `100%`. */
export const percent = (share: number): string => {
  const value = share * 100
  return `${Math.abs(value) < 10 && !Number.isInteger(value) ? Number(value.toFixed(1)) : Math.round(value)}%`
}

/** Formats a count with its noun: `1 run`, `12 runs`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${groupDigits(n)} ${n === 1 ? one : many}`
