/**
 * `npm run texts` prints every text that people read on the page and on command lines, by area and with its place in
 * the code, so that somebody can review all of them. `npm run texts -- dashboard/fleet` prints one area.
 */
import { isShipped } from './house/figures.ts'
import { readSources } from './house/read.ts'

const [wanted = ''] = process.argv.slice(2)
const areas = new Map<string, string[]>()
for (const [file, { texts }] of await readSources()) {
  const area = areaOf(file)
  if (!isShipped(file) || texts.length === 0 || !area.startsWith(wanted)) continue
  const lines = texts.map(({ line, text }) => `  ${file}:${line}  ${text}`)
  areas.set(area, [...(areas.get(area) ?? []), ...lines])
}
for (const [area, lines] of [...areas].sort(([a], [b]) => a.localeCompare(b)))
  console.log([area, ...lines, ''].join('\n'))

/** The area of a file: `packages/server/src/web/live/hub.ts` is in the area `server/web/live`. */
function areaOf(file: string): string {
  const [, part, , ...path] = file.split('/')
  return [part, ...path.slice(0, -1).slice(0, 2)].join('/')
}
