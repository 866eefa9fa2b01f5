/**
 * The health item about the room on the file systems that the agent's folder uses. It comes from the runtime, so it
 * does not count toward the level by which an update is judged (D27).
 */
import { statSync } from 'node:fs'
import { cut, diskSpace, type HealthItem, limits } from '@svc/protocol'
import type { Folder } from '../../machine/files/folder.ts'
import { judgeSpace, mountOf, spaceAt, spaceSentence } from '../../machine/files/space.ts'

type DiskPaths = Pick<Folder, 'root' | 'svc' | 'state'>

/**
 * Returns the item if a file system is full, is nearly full, or takes no changes. `refused` says why the runtime could
 * not store something just now; it covers quotas and errors, which no figure shows.
 */
export function diskHealth(folder: DiskPaths, refused?: string): HealthItem[] {
  const found = foldersOf(folder).flatMap((path) => {
    const space = spaceAt(path)
    const is = space && judgeSpace(space)
    if (!space || !is) return []
    return [{ level: is === 'tight' ? 'warn' : 'bad', detail: spaceSentence(space, mountOf(path)) ?? '' } as const]
  })
  const worst = found.find(({ level }) => level === 'bad') ?? found[0]
  if (worst?.level === 'bad') return [item(worst)]
  if (refused !== undefined) return [item({ level: 'bad', detail: `The runtime cannot store its notes: ${refused}.` })]
  return worst ? [item(worst)] : []
}

const item = ({ level, detail }: Required<Pick<HealthItem, 'level' | 'detail'>>): HealthItem => ({
  name: diskSpace,
  level,
  detail: cut(detail, limits.detail),
})

/** The folders of the runtime and of the state, one for each file system. */
function foldersOf({ root, svc, state }: DiskPaths): string[] {
  const devices = new Map<number, string>()
  for (const path of [root, svc, state]) {
    const device = statSync(path, { throwIfNoEntry: false })?.dev
    if (device !== undefined && !devices.has(device)) devices.set(device, path)
  }
  return [...devices.values()]
}

/**
 * A sentence about a full or nearly full disk, with a space before it; '' if there is room. A command appends it to the
 * message that another process of svc has not done something: the disk may be why, and only the log of that process
 * says so.
 */
export function diskNote(folder: Folder): string {
  const [disk] = diskHealth(folder)
  return disk ? ` ${disk.detail}` : ''
}
