/** Several install codes: those that can be used, and all as text, as lines to copy and as a file. */
import type { InstallCode, NewCode } from '@svc/api'

type Listed = Pick<NewCode, 'agentName' | 'code' | 'expiresAt'>

/** A line for each code: the name of its agent, and the code. The codes begin in one column. */
export function codesAsLines(codes: readonly Listed[]): string {
  const width = Math.max(...codes.map(({ agentName }) => agentName.length))
  return codes.map(({ agentName, code }) => `${agentName.padEnd(width)}  ${code}`).join('\n')
}

/** The codes as CSV. Neither names nor codes have a character that CSV must quote, or that a spreadsheet would run. */
export const codesAsCsv = (codes: readonly Listed[]): string =>
  [
    'agent,code,valid_until',
    ...codes.map(({ agentName, code, expiresAt }) => `${agentName},${code},${new Date(expiresAt).toISOString()}`),
    '',
  ].join('\r\n')

/**
 * The codes that can still be used, by their states in the list of the service. A code that the list does not have yet
 * can be used.
 */
export function usableCodes<T extends { id: string }>(
  codes: readonly T[],
  listed: readonly Pick<InstallCode, 'id' | 'state'>[] = [],
): T[] {
  const states = new Map(listed.map(({ id, state }) => [id, state]))
  return codes.filter(({ id }) => (states.get(id) ?? 'live') === 'live')
}
