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
 * Returns one item if a file system is full, nearly full or read-only, or if `refused` is given: the reason why the
 * runtime could not store its notes, such as a quota. Otherwise the list is empty.
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

/** One of the agent's folders for each file system that they are on. */
function foldersOf({ root, svc, state }: DiskPaths): string[] {
  const devices = new Map<number, string>()
  for (const path of [root, svc, state]) {
    const device = statSync(path, { throwIfNoEntry: false })?.dev
    if (device !== undefined && !devices.has(device)) devices.set(device, path)
  }
  return [...devices.values()]
}

/**
 * A sentence about a full or nearly full disk, with a space before it; '' if there is room. Commands append it when the
 * runtime did not start or did not carry out what they asked, since the disk may be the reason.
 */
export function diskNote(folder: Folder): string {
  const [disk] = diskHealth(folder)
  return disk ? ` ${disk.detail}` : ''
}
