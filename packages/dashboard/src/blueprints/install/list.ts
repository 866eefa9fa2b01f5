/** Several install codes as text: lines to copy, and a file. */
import type { NewCode } from '@svc/api'

type Listed = Pick<NewCode, 'agentName' | 'code' | 'expiresAt'>

/** A line for each code: the name of its agent, and the code. The codes begin in one column. */
export function linesOf(codes: readonly Listed[]): string {
  const width = Math.max(...codes.map(({ agentName }) => agentName.length))
  return codes.map(({ agentName, code }) => `${agentName.padEnd(width)}  ${code}`).join('\n')
}

/** The codes as CSV. Neither names nor codes have a character that CSV must quote, or that a spreadsheet would run. */
export const csvOf = (codes: readonly Listed[]): string =>
  [
    'agent,code,valid_until',
    ...codes.map(({ agentName, code, expiresAt }) => `${agentName},${code},${new Date(expiresAt).toISOString()}`),
    '',
  ].join('\r\n')
