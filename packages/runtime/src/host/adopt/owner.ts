/** Whose folders `svc adopt` uses. Somebody else's folder would let that user change what this user runs. */

interface OwnedFolder {
  /** The purpose of the folder, as the beginning of a sentence. */
  readonly what: string
  readonly path: string
  /** The user id of its owner; undefined if nobody knows. */
  readonly owner: number | undefined
}

/** Says which of these folders belongs to another user than `uid`; undefined if none does. The function is pure. */
export function strangersFolder(uid: number, places: readonly OwnedFolder[]): string | undefined {
  const found = places.find(({ owner }) => owner !== undefined && owner !== uid)
  if (found === undefined) return undefined
  const { what, path, owner } = found
  const why =
    uid === 0
      ? 'That user could change what root runs. Run this as root with the home folder of root ("sudo -i")'
      : 'Run this as that user'
  return `${what} ${path} belongs to the user ${owner}, not to you (${uid}). ${why}, or name another folder.`
}
