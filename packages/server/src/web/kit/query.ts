import type { Context } from 'hono'

/** A whole number of the address, at most `most`; `otherwise` (or `most`) when it is missing or is none. */
export function numberOf(c: Context, name: string, most: number, otherwise: number = most): number {
  const text = c.req.query(name)
  if (text === undefined || !/^\d{1,15}$/.test(text)) return otherwise
  return Math.min(Number(text), most)
}

/** A text of the address; undefined when it is missing or empty. */
export const textOf = (c: Context, name: string): string | undefined => c.req.query(name) || undefined

/** `true` or `1`, `false` or `0`; undefined when the address says neither. */
export function flagOf(c: Context, name: string): boolean | undefined {
  const text = c.req.query(name)
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}
