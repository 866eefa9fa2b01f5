/** Converts between Unix seconds and the value of a `datetime-local` input, in the browser's time zone. */

const pad = (n: number, digits = 2) => String(n).padStart(digits, '0')

/**
 * Formats a time such as `2026-11-21T14:05`, with seconds only if they are not zero; null for a time outside the
 * calendar's range.
 */
export function toLocalTime(seconds: number): string | null {
  const d = new Date(seconds * 1000)
  if (Number.isNaN(d.getTime())) return null
  const day = `${pad(d.getFullYear(), 4)}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`
  const time = `${pad(d.getHours())}:${pad(d.getMinutes())}`
  return d.getSeconds() === 0 ? `${day}T${time}` : `${day}T${time}:${pad(d.getSeconds())}`
}

/** The day of a time in Unix milliseconds, in the browser's time zone, such as `2026-12-03`. */
export const localDayOf = (at: number): string =>
  toLocalTime(Math.floor(at / 1000))?.slice(0, '2026-12-03'.length) ?? ''

/** Reads the value of a `datetime-local` input as Unix seconds; undefined if the text is not such a value. */
export function fromLocalTime(text: string): number | undefined {
  if (!/^\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(text)) return undefined
  const time = new Date(text).getTime()
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000)
}
