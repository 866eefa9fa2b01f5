/** For tests: each time of day in the texts of a value, with the zone behind it: `03:12 UTC+1`, or only `03:12`. */
export const timesOfDayIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/\b\d\d:\d\d\b(?: UTC(?:[+-]\d+(?::\d\d)?)?)?/g)].map(([text]) => text)
