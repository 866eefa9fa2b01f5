/** The commit failed: whether it happened is not known, so nothing may be handed out and nothing tried again (D1). */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('The commit of a batch of reports failed.', { cause })
  }
}
