/** The command `svc-server start`: it runs the service in this process until a signal ends it. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { isOwnMachineOnly } from '@svc/protocol'
import type { Logger } from 'pino'
import type { OperatorRequest } from '../../operator/shared/request.ts'
import { searchedDataText } from '../../operator/socket/socket.ts'
import { endMs, stopMs } from '../../platform/closing.ts'
import { containerLossRemark } from '../../platform/container.ts'
import { messageOf } from '../../platform/errors.ts'
import { openServiceLog } from '../../platform/log.ts'
import { readConfig, type Variables } from '../config.ts'
import { endProcess, threadsEnded, untilSignal, watchOverErrors } from '../ops/process.ts'
import { startService } from '../service.ts'
import { OutputError, print } from './streams.ts'

/** The milliseconds for which a start in progress may go on after a signal. */
const startMs = 1_500

export async function serveUntilStopped(
  options: OperatorRequest['options'],
  flags: Variables,
  json: boolean,
): Promise<never> {
  const text = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined)
  const named = { SVC_PORT: text('port'), SVC_HOST: text('host'), SVC_BASE_URL: text('baseUrl') }
  const config = readConfig({ flags: { ...flags, ...named } })
  const log = openServiceLog(config.logLevel)
  for (const remark of config.remarks) log.warn({ data: searchedDataText(config) }, remark)
  watchOverErrors(log)
  if (process.pid === 1) log.warn(noInitWarning)
  // A signal that came while the code was loaded ends the process here, where nothing is open yet.
  await nextTurn()
  let stopAt = Number.POSITIVE_INFINITY
  const stop = untilSignal(log).then(() => {
    stopAt = performance.now() + stopMs - endMs
  })
  const starting = startService(config, log)
  const service = await Promise.race([starting, stop.then(() => sleep(startMs))])
  if (!service) {
    log.warn({ unfinished: ['start'] }, 'stopped before the start was finished')
    return endProcess(0, { stuck: true })
  }
  const { url, firstLink } = service
  void greet(json ? `${JSON.stringify({ url, link: firstLink ?? null })}\n` : greetingText(url, firstLink), log)
  if (url.startsWith('http:') && !isOwnMachineOnly(url))
    log.warn('SVC_BASE_URL is http: passwords and tokens cross the network unencrypted')
  const loss = containerLossRemark(config.dataDir)
  if (loss !== undefined) log.warn(loss)
  await stop
  const unfinished = await service.close(stopAt - performance.now())
  if (unfinished.length === 0) log.info('stopped')
  else log.warn({ unfinished }, 'stopped; these parts did not end in their time and were left behind')
  await threadsEnded()
  return endProcess(0, { stuck: unfinished.length > 0 })
}

/**
 * Prints the greeting. The service keeps running if printing fails, because `svc-server link --first` can print the
 * link for the first account again.
 */
async function greet(text: string, log: Logger): Promise<void> {
  try {
    await print(text)
  } catch (error) {
    const reason = error instanceof OutputError ? error.reason : messageOf(error)
    log.warn(
      { reason },
      'the address of the service and the link for the first account could not be printed; "svc-server link --first" prints the link',
    )
  }
}

const greetingText = (url: string, link: string | undefined) => {
  const ready = `svc is ready: ${url}\n${isOwnMachineOnly(url) ? hereOnly(url) : ''}`
  return link === undefined
    ? ready
    : `${ready}\nNobody has an account yet. Open this link, once, to create your account and first workspace:\n\n  ${link}\n\n`
}

const noInitWarning =
  'the service is process 1 of its container: a signal in the first moments of a start is lost, and processes that it leaves behind stay as zombies; run the container with an init (docker run --init, or "init: true" in a compose file)'

const hereOnly = (url: string) =>
  `Only this machine reaches that address. For other machines and people: ${url}/help/start#reach-it-from-another-machine\n`
