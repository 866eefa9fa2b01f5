import type { readPause } from '@svc/protocol'

/** Says who paused an agent. `person` is the person whose command did, if the service knows the command. */
export function pausedBy(
  { by, user }: Pick<NonNullable<ReturnType<typeof readPause>>, 'by' | 'user'>,
  person: string | null,
): string {
  if (by === 'machine') return user === undefined ? 'Paused on its machine' : `Paused on its machine by ${user}`
  if (by === undefined) return 'Paused'
  return person === null ? 'Paused by a command from here' : `Paused by ${person}`
}
