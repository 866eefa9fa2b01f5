/**
 * The header with which the page asks for status 200 for expected refusals, since a browser logs every status from 400
 * on as an error in its console. The answer has the real status in the same header.
 */
export const refusedHeader = 'svc-refused'

/**
 * The statuses of refusals that the page expects. 401 stays a real status: password managers use it to see that a
 * password was wrong, and operators count failed sign-ins with it.
 */
export const expectedStatuses: ReadonlySet<number> = new Set([400, 403, 404, 409])
