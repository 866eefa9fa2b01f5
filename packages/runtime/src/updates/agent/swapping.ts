/**
 * Third step of an update: one rename of the link `current` (I17). Afterwards the disk counts and not the result of the
 * call: a rename may have worked although the sync after it failed.
 */
import { messageOf } from '../../machine/base/errors.ts'
import { lead, leadsTo, nameOf } from '../../state/versions/folders.ts'
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
