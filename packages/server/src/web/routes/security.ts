/** Serves `/.well-known/security.txt` (RFC 9116), which says where to report a vulnerability of this installation. */
import { Hono } from 'hono'
import { dayMs, dayOf } from '../../platform/limits/units.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Deps } from '../routing/deps.ts'

/**
 * The days after which security.txt says that it expires. The service generates it for each request; RFC 9116 wants
 * less than a year.
 */
const holdsDays = 180

export const securityRoutes = ({ config, now }: Pick<Deps, 'config' | 'now'>) =>
  new Hono().get('/.well-known/security.txt', (c) => {
    const { baseUrl, securityContact } = config
    if (securityContact === undefined)
      throw new Refusal('not_found', 'The operator of this service has not named a contact.')
    const today = dayOf(now()) * dayMs
    const lines = [
      `Contact: ${securityContact}`,
      `Expires: ${new Date(today + holdsDays * dayMs).toISOString()}`,
      `Canonical: ${baseUrl}/.well-known/security.txt`,
      '',
    ]
    return c.text(lines.join('\n'), 200, { 'cache-control': 'no-cache' })
  })
