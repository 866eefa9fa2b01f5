/**
 * The header by which the page asks for expected refusals with status 200. A browser writes each answer from 400 on as
 * an error into its console, and no script can prevent that: a dialog that asks for a proof, or a name that is taken,
 * would look like a fault of the page. The answer has the refusal's status in the same header. Programs that do not ask
 * get the status itself.
 */
export const refusedHeader = 'svc-refused'

/**
 * The statuses of refusals that the page expects. 401 is not one of them: password managers keep a password unless the
 * status says that it was wrong, and operators count failed sign-ins by it.
 */
export const expectedStatuses: ReadonlySet<number> = new Set([400, 403, 404, 409])
