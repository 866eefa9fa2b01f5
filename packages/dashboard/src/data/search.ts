/**
 * Reads and writes the parameters of the page's addresses. The router reads each value as JSON, so that numbers and
 * booleans stay what they are. Only the filter `q` is plain text: `?q=1.10` stays `1.10`.
 */
import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router'

type Parameters = Record<string, unknown>

/** The parameter whose value is always a text, even if it looks like JSON. */
const textParameter = 'q'
/**
 * The parameter of the search in addresses of earlier versions. Its value is always a text, which may be written as
 * JSON or as it is.
 */
const oldSearch = 'search'

/** Reads the query string of an address. */
export function parseSearch(text: string): Parameters {
  const search: Parameters = { ...defaultParseSearch(text) }
  const texts = new URLSearchParams(text)
  const q = texts.get(textParameter)
  if (q !== null) search[textParameter] = q
  const old = texts.get(oldSearch)
  if (old !== null && typeof search[oldSearch] !== 'string') search[oldSearch] = old
  return search
}

/** Writes parameters as the query string of an address. */
export function stringifySearch({ [textParameter]: q, ...others }: Parameters): string {
  const rest = defaultStringifySearch(others)
  if (typeof q !== 'string' || q === '') return rest
  const own = `?${new URLSearchParams({ [textParameter]: q })}`.replaceAll('%3A', ':').replaceAll('%2C', ',')
  return rest === '' ? own : `${own}&${rest.slice(1)}`
}

/** A parameter as text, also if the router read the text as a number; undefined for other values and ''. */
export const readText = (v: unknown): string | undefined =>
  typeof v === 'string' && v !== '' ? v : typeof v === 'number' ? String(v) : undefined

/** A parameter that is one of the words in `all`; undefined for other values. */
export const readWord = <T extends string>(all: readonly T[], v: unknown): T | undefined =>
  all.find((each) => each === v)

/** Leaves out keys whose value is undefined, so that the page's addresses stay short. */
export const withoutUndefined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, v]) => v !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
