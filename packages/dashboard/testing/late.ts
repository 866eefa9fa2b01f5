/**
 * Loaded into the service by the browser tests if SVC_TEST_LATE is set: each answer to the page comes that many
 * milliseconds late, as for somebody far away. Requests that tests make themselves are answered at once; unlike
 * browsers, they do not say where they come from.
 *
 *   SVC_TEST_LATE=600 npx vitest run --project browser packages/dashboard/src/fleet
 */
import { type IncomingMessage, Server } from 'node:http'

const late = Number(process.env.SVC_TEST_LATE)
const isOfPage = ({ url = '', headers }: IncomingMessage): boolean =>
  url.startsWith('/api/') && headers['sec-fetch-site'] !== undefined

const emit = Server.prototype.emit as (...args: unknown[]) => boolean
function emitLate(this: Server, ...args: unknown[]): boolean {
  if (args[0] !== 'request' || !isOfPage(args[1] as IncomingMessage)) return emit.apply(this, args)
  setTimeout(() => emit.apply(this, args), late)
  return true
}
Object.assign(Server.prototype, { emit: emitLate })
