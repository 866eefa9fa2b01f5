import { activityBound, bounds } from '../../packages/api/src/index.ts'

/** The table of everything that people can add, each with its limit, in the order of the alphabet. */
export function boundTable(): string {
  const added = new Set(Object.values(bounds).filter((bound) => bound !== null))
  const all = [...[...added].sort((a, b) => a.adds.localeCompare(b.adds, 'en')), activityBound]
  const rows = [{ adds: 'what people add', limit: 'limit' }, ...all]
  const [first, second] = [
    Math.max(...rows.map(({ adds }) => adds.length)),
    Math.max(...rows.map(({ limit }) => limit.length)),
  ]
  const line = ({ adds, limit }: { adds: string; limit: string }) =>
    `| ${adds.padEnd(first)} | ${limit.padEnd(second)} |`
  const [head, ...body] = rows.map(line)
  return [head, `| ${'-'.repeat(first)} | ${'-'.repeat(second)} |`, ...body].join('\n')
}
