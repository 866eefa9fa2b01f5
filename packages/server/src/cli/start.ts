/** The command `svc-server start`: it runs the service in this process until a signal ends it. */
import { readConfig, type Variables } from '../config.ts'
import type { Request } from '../operator/kit/request.ts'
import { openLog } from '../ops/log.ts'
import { untilSignal, watchOverErrors } from '../ops/process.ts'
import { startService } from '../service.ts'

export async function start(options: Request['options'], flags: Variables, json: boolean): Promise<void> {
  const text = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined)
  const named = { SVC_PORT: text('port'), SVC_HOST: text('host'), SVC_BASE_URL: text('baseUrl') }
  const config = readConfig({ flags: { ...flags, ...named } })
  const log = openLog(config.logLevel)
  for (const remark of config.remarks) log.warn(remark)
  watchOverErrors(log)
  const stop = untilSignal(log)
  const service = await startService(config, log)
  const { url, firstLink } = service
  process.stdout.write(json ? `${JSON.stringify({ url, link: firstLink ?? null })}\n` : greeting(url, firstLink))
  if (url.startsWith('http:') && !['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname))
    log.warn('SVC_BASE_URL is http: passwords and tokens cross the network unencrypted')
  await stop
  await service.close()
  log.info('stopped')
  process.exit(0) // Exits even if a library still keeps a timer or connection open.
}

const greeting = (url: string, link: string | undefined) =>
  link === undefined
    ? `svc is ready: ${url}\n`
    : `svc is ready: ${url}\n\nNobody has an account yet. Open this link, once, to create your account and first workspace:\n\n  ${link}\n\n`
