/**
 * Second step of an update: checks the whole bundle, unpacks it beside the running version, links its state paths, and
 * copies seeds to places where nothing exists (3.3, I19, I20).
 */
import { messageOf } from '../../machine/base/errors.ts'
import type { UpdateStep } from './ground.ts'

export const staging: UpdateStep = async ({ folder, blueprint, attempt, stop, bundle }, { running, previous, to }) => {
  const { bytes } = bundle
  bundle.bytes = undefined
  if (!to || !bytes) return { event: 'dropped' }
  // The code that reads bundles takes memory that a process never gives back, so it is loaded only when it is needed.
  const { NotPlaced, placeVersion } = await import('../../install/place.ts')
  const { sweepVersions } = await import('../../state/versions/folders.ts')
  try {
    sweepVersions(folder, [running.sha256, ...(previous ? [previous.sha256] : [])])
    const { sha256, version } = to
    await placeVersion(folder, { bytes, sha256, version, blueprint })
  } catch (error) {
    const why = messageOf(error)
    return { event: error instanceof NotPlaced && error.verdict ? 'refused' : 'unreachable', why }
  }
  if (stop.aborted) return undefined
  return attempt().aborted ? { event: 'dropped' } : { event: 'done' }
}
