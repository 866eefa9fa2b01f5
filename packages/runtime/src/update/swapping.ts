/**
 * Third step: one rename (I17). Afterwards trust the disk, not the return value: a rename may have worked although its
 * sync failed.
 */
import { messageOf } from '../errors.ts'
import { lead, leadsTo, nameOf } from '../versions/folders.ts'
import type { UpdateStep } from './ground.ts'

export const swapping: UpdateStep = async ({ folder, say, look }, { running, to }) => {
  if (!to) return { event: 'dropped' }
  try {
    lead(folder, to.sha256)
  } catch (error) {
    const why = messageOf(error)
    if (leadsTo(folder) !== nameOf(to.sha256))
      return { event: 'unreachable', why: `it could not be put in place: ${why}` }
    say(`update ${running.version} -> ${to.version}: in place, but perhaps not after a power cut: ${why}`)
  }
  say(`update ${running.version} -> ${to.version}: in place, on proof`)
  look()
  return { event: 'done' }
}
