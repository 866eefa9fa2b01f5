import { colorOf } from '../../ui/charts/StackedBars.tsx'
import { Text } from '../../ui/index.ts'
import { byVersion } from './version-order.ts'
import '../../ui/charts/charts.css'
import '../updates.css'

interface VersionBarProps {
  title: string
  /** The versions in the order in which they are shown. `isGrey` marks an entry that is not a version. */
  versions: readonly { name: string; agents: number; isGrey?: boolean }[]
}

/** The maximum number of parts. If there are more versions, the last part combines several of them. */
const maxParts = 6

/** The number of agents of each version, as a bar and as a list. Shows nothing if all agents run the same version. */
export function VersionBar({ title, versions }: VersionBarProps) {
  const there = versions.filter(({ agents }) => agents > 0)
  const named = there.length > maxParts ? there.slice(0, maxParts - 1) : there
  const rest = there.slice(named.length).reduce((sum, { agents }) => sum + agents, 0)
  // The colors follow the age of the versions, as in the chart of versions over time.
  const oldestFirst = named.flatMap(({ name, isGrey }) => (isGrey ? [] : [name])).toSorted(byVersion)
  const parts: { name: string; agents: number; color: number | null }[] = named.map(({ name, agents, isGrey }) => ({
    name,
    agents,
    color: isGrey ? null : oldestFirst.indexOf(name),
  }))
  if (rest > 0) parts.push({ name: `${there.length - named.length} others`, agents: rest, color: null })
  if (parts.length < 2) return null
  return (
    <div className="up-versions">
      <div className="up-bar" aria-hidden>
        {parts.map(({ name, agents, color }) => (
          <span key={name} style={{ flexGrow: agents, background: colorOf(color) }} />
        ))}
      </div>
      <ul className="svc-chart-legend" aria-label={title}>
        {parts.map(({ name, agents, color }) => (
          <li key={name}>
            <i style={{ background: colorOf(color) }} aria-hidden />
            <Text>{name}</Text>
            <span className="svc-chart-sum">{agents.toLocaleString('en-US')}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
