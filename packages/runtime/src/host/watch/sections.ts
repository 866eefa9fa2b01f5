/**
 * The sections of `svc watch`. Each makes a part of the host agent's status, and all parts together are the status
 * file.
 */
import { type HealthItem, levelRank, limits, type StatusFile, shortened, worstLevel } from '@svc/protocol'
import { plainHint } from '../../machine/hint.ts'

/** The part of the status that one section shows. */
export interface StatusPart extends Pick<StatusFile, 'active' | 'gauges' | 'runs' | 'panels'> {
  readonly health: readonly (HealthItem & Required<Pick<HealthItem, 'name' | 'level'>>)[]
  /** The words of this section in the label. */
  readonly label: string
}

/** A section of `svc watch`: *jobs* or *ai*. */
export interface Section {
  /** The name of the section, as a person gives it to `svc adopt`. */
  readonly name: string
  /** The command of svc that says more about this section. */
  readonly command: string
  /** Looks at the machine, at `now` in Unix milliseconds. */
  look(now: number): StatusPart
}

/** Looks at all sections. A section that throws becomes a warning, and the others are shown as usual. */
export const partsOf = (sections: readonly Section[], now: number): StatusPart[] =>
  sections.map((section) => {
    try {
      return section.look(now)
    } catch {
      const detail = `The section ${section.name} failed. Its next look is in a few seconds; "${plainHint(section.command)}" says more.`
      return {
        label: `${section.name} cannot be read`,
        health: [{ name: `Section ${section.name}`, level: 'warn', detail }],
      }
    }
  })

/** The status of the host agent. Its level is the worst of all items, and its label begins with the worst section. */
export function hostStatusOf(parts: readonly StatusPart[]): StatusFile {
  const worstOf = ({ health }: StatusPart) => worstLevel(health.map(({ level }) => level))
  const sorted = [...parts].sort((a, b) => levelRank[worstOf(b)] - levelRank[worstOf(a)])
  const label = sorted.map((part) => part.label).join(' · ') || 'nothing is shown'
  return {
    state: { level: worstLevel(parts.map(worstOf)), label: shortened(label, limits.label) },
    health: parts.flatMap(({ health }) => health),
    active: parts.flatMap(({ active = [] }) => active),
    gauges: parts.flatMap(({ gauges = [] }) => gauges),
    runs: parts.flatMap(({ runs = [] }) => runs),
    panels: parts.flatMap(({ panels = [] }) => panels),
  }
}
