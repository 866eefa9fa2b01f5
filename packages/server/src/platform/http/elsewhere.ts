/**
 * Refuses requests that name another address than that of the service (D23, D82). The refusal names the right address
 * and the setting, since nobody can guess them: a person gets a page, a program the JSON error.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { elsewhereWords, envelope, isOwnMachineOnly, shown } from '@svc/protocol'
import type { Logger } from 'pino'
import { refuseAndClose } from './answers.ts'
import { sendPage, wantsPage } from './person-page.ts'
import { oncePer } from './requests.ts'

const quietMs = 60 * 60 * 1000

export function refusingElsewhere(baseUrl: string, log: Pick<Logger, 'info'>) {
  const message = elsewhereWords(baseUrl)
  const { error } = envelope('not_found', message)
  const body = JSON.stringify({ error: { ...error, address: baseUrl } })
  const page = pageAbout(baseUrl)
  const quiet = oncePer(quietMs)
  return (req: IncomingMessage, res: ServerResponse): void => {
    const named = req.headers['x-forwarded-host'] ?? req.headers.host
    if (quiet(performance.now()) !== undefined)
      log.info({ named: shown(named ?? null), answersAt: baseUrl }, 'a request named another address, and got 404')
    if (wantsPage(req)) sendPage(req, res, 404, page)
    else refuseAndClose(req, res, 'not_found', { body })
  }
}

const pageAbout = (baseUrl: string) => ({
  title: 'This service has another address',
  lines: [
    `It answers only at ${baseUrl}.`,
    ...(isOwnMachineOnly(baseUrl) ? ['Only its own machine reaches that address.'] : []),
    'The operator of the service can set another address with SVC_BASE_URL, in its environment or in the file .env, and start it again. The document "First steps" (docs/start.md) says how, under "Reach it from another machine".',
  ],
  link: baseUrl,
})
