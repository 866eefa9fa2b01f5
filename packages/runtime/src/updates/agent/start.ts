/**
 * Decides what a start does with the state that it finds (docs/decisions/kills.md): the journal as it was left, and the
 * version to which `current` leads.
 */
import { versionFolderName } from '../../state/versions/folders.ts'
import type { VersionRef } from '../../state/versions/version-ref.ts'
import { updateAfterStep } from './change.ts'
import type { Update } from './journal.ts'

/** The maximum number of trials of one version: the first, and one more if a kill interrupted the first. */
const maxProofs = 2

/**
 * The state of the update with which a start continues. `inPlace` is the version to which `current` leads: its name in
 * the manifest, and the name of its folder as `sha256`.
 */
export function stateAtStart(
  journal: Update | undefined,
  inPlace: VersionRef,
  how: { at: number; chance?: number; scale?: number },
): Update {
  if (!journal) return { state: 'idle', running: inPlace, rollbacks: [] }
  const leads = (to: VersionRef | undefined) =>
    to !== undefined && versionFolderName(to.sha256) === versionFolderName(inPlace.sha256)
  switch (journal.state) {
    case 'idle':
      return leads(journal.running) ? journal : moved(journal, inPlace)
    case 'fetching':
    case 'staging':
      return updateAfterStep(journal, { event: 'killed' }, how)
    case 'swapping':
      return leads(journal.to)
        ? { ...journal, state: 'proving', proofs: 1 }
        : updateAfterStep({ ...journal, state: 'staging' }, { event: 'killed' }, how)
    case 'proving': {
      const proofs = journal.proofs ?? 1
      if (!leads(journal.to)) return updateAfterStep(journal, { event: 'worse', why: unnotedReason }, how)
      return proofs < maxProofs
        ? { ...journal, proofs: proofs + 1 }
        : updateAfterStep(journal, { event: 'worse', why: 'it was killed twice while it was proved' }, how)
    }
    case 'watching':
      if (leads(journal.running)) return journal
      return leads(journal.previous)
        ? updateAfterStep(journal, { event: 'worse', why: unnotedReason }, how)
        : moved(journal, inPlace)
    case 'undoing':
      return journal
  }
}

/** The reason to report for a rollback whose real reason could not be written to the disk. */
const unnotedReason = 'it was put back, and the disk did not take the reason'

/**
 * Handles a start at which `current` leads to a version that somebody chose by hand. That version is accepted as the
 * running one.
 */
function moved(
  { to: _, window: __, away: ___, previous, applied: ____, ...rest }: Update,
  running: VersionRef,
): Update {
  const other = previous && versionFolderName(previous.sha256) !== versionFolderName(running.sha256)
  return { ...rest, state: 'idle', running, ...(other && { previous }) }
}
