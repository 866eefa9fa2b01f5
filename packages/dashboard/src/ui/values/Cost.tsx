import { figure } from '../time/format.ts'

/** Formats US dollars: `$0.00`, `<$0.01`, `$12.34`, `$1,234`. */
export function dollars(usd: number): string {
  if (usd > 0 && usd < 0.01) return '<$0.01'
  return (usd >= 1000 ? wholeDollars : dollarsAndCents).format(usd)
}

const currency = (digits: number) =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
const wholeDollars = currency(0)
const dollarsAndCents = currency(2)

/** Formats US dollars for the axis of a chart. Whole amounts have no cents. */
export const dollarsOfAxis = (usd: number): string => (Number.isInteger(usd) ? `$${figure(usd)}` : dollars(usd))

/** Shows a cost in US dollars; a dash if none was reported. */
export function Cost({ usd }: { usd: number | null | undefined }) {
  if (usd === null || usd === undefined)
    return (
      <span style={{ color: 'var(--mantine-color-dimmed)' }}>
        <span aria-hidden>–</span>
        <span className="svc-hidden">no cost reported</span>
      </span>
    )
  return <span title={`US$ ${usd.toFixed(4)}`}>{dollars(usd)}</span>
}
