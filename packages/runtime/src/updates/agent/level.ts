/**
 * The agent's own level (D27): the worst of its status file, of the remarks about that file, and of the health of its
 * process. The bindings do not count.
 */
import { type HealthItem, type Level, type StatusFile, worst } from '@svc/protocol'

export const ownLevel = (status: StatusFile, process: Level, remarks: readonly HealthItem[] = []): Level =>
  worst([
    process,
    ...(status.state?.level ? [status.state.level] : []),
    ...[...(status.health ?? []), ...remarks].flatMap((item) => (item.level ? [item.level] : [])),
  ])
