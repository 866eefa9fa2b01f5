/**
 * Sends the mails about accounts that wait in the database, so that no request waits for the mail server. A mail that
 * is not accepted is tried again as often, and at the same times, as a message about alerts.
 */
import type { Logger } from 'pino'
import { wordsOf } from '../../deliveries/attempt.ts'
import { withReach } from '../../deliveries/channels/call.ts'
import { mailOf } from '../../deliveries/channels/mail.ts'
import type { SealKey } from '../../deliveries/channels/seal.ts'
import { answerWords, outcomeOf, type TryResult } from '../../deliveries/outbox.ts'
import { sendMail } from '../../deliveries/smtp.ts'
import type { Config } from '../../platform/base.ts'
import type { Store } from '../../platform/db/open.ts'
import type { Auth } from '../accounts/auth.ts'
import { claimMails, forgetMail, giveMailBack, maxAgeOf, tryLater, type WaitingMail } from '../accounts/mails.ts'
import { compose } from './compose.ts'

/**
 * The milliseconds between two checks for due mails, and from the moment at which a mail was sent until the next check.
 */
const [everyMs, soonMs] = [2000, 50]
/** The number of mails that are sent at the same time; of mails that strangers can cause, half as many. */
const maxPlaces = 4

interface Mailing {
  store: Store
  auth: Auth
  config: Pick<Config, 'baseUrl' | 'smtpUrl' | 'mailFrom'>
  log: Pick<Logger, 'warn'>
  now: () => number
  /** The key from which the tokens of links in mails are derived. */
  key: SealKey
}

interface Mailer {
  start(): void
  /** Tries once the mails that are due, at most four in one call; the others follow in the next call. */
  send(): Promise<void>
  stop(): Promise<void>
}

export function newMailer(mailing: Mailing): Mailer {
  const { store, config, log, now } = mailing
  const ending = new AbortController()
  const busy = new Map<WaitingMail, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<void> | undefined
  let isStarted = false
  return { start, send, stop }

  function start(): void {
    isStarted = config.smtpUrl !== undefined
    plan(everyMs)
  }

  function plan(afterMs: number): void {
    clearTimeout(timer)
    if (!isStarted || ending.signal.aborted) return
    timer = setTimeout(() => {
      check()
        .catch((error) => log.warn({ err: error }, 'mails about accounts could not be sent; retrying soon'))
        .finally(() => plan(everyMs))
    }, afterMs).unref()
  }

  function check(): Promise<void> {
    checking ??= checkOnce().finally(() => {
      checking = undefined
    })
    return checking
  }

  async function checkOnce(): Promise<void> {
    const strangers = [...busy.keys()].filter(({ topic }) => topic?.kind === 'forgot').length
    const free = { max: maxPlaces - busy.size, strangersMax: maxPlaces / 2 - strangers }
    for (const mail of await claimMails(store, { ...free, now: now() })) begin(mail)
  }

  function begin(mail: WaitingMail): void {
    const sending = sendOne(mail, mailing, ending.signal)
      .catch((error) => log.warn({ err: error }, 'the outcome of a mail about an account could not be stored'))
      .finally(() => {
        busy.delete(mail)
        if (!checking) plan(soonMs)
      })
    busy.set(mail, sending)
  }

  async function send(): Promise<void> {
    await check()
    await Promise.all(busy.values())
  }

  async function stop(): Promise<void> {
    clearTimeout(timer)
    ending.abort()
    await checking?.catch(() => {})
    await Promise.all(busy.values())
  }
}

/**
 * Tries a mail once and stores the outcome. A mail that cannot be written counts as tried, like one that is refused.
 */
async function sendOne(waiting: WaitingMail, mailing: Mailing, stop: AbortSignal): Promise<void> {
  const { store, log, now } = mailing
  const { topic, tries, createdAt } = waiting
  const kind = topic?.kind ?? 'unknown'
  if (now() - createdAt > maxAgeOf(topic)) {
    log.warn({ kind, tries }, 'mail about an account given up: it is too old')
    return forgetMail(store, waiting)
  }
  const answer = await tryOnce(waiting, mailing, stop)
  if (answer === undefined) return forgetMail(store, waiting)
  if (answer.is === 'stopped') return giveMailBack(store, waiting)
  const outcome = outcomeOf(answer, { createdAt, tries }, now(), Math.random())
  if (outcome.is === 'again') return tryLater(store, waiting, outcome.dueAt)
  if (outcome.is === 'dead') log.warn({ kind, answer: answerWords(answer) }, 'mail about an account given up')
  return forgetMail(store, waiting)
}

/** The result of a try; undefined if the mail has no receiver or is no longer needed. */
async function tryOnce(
  waiting: WaitingMail,
  { store, auth, config, now, key }: Mailing,
  stop: AbortSignal,
): Promise<TryResult | undefined> {
  const { smtpUrl, mailFrom, baseUrl } = config
  if (smtpUrl === undefined) return undefined
  if (!waiting.topic) return { is: 'refused', message: 'This version of the service does not know this kind of mail.' }
  try {
    const people = { store, auth, config }
    const composed = await compose(waiting.topic, { people, mail: waiting, key, now: now() })
    if (!composed) return undefined
    const mail = mailOf({ id: waiting.id, text: withReach(composed.text), baseUrl })
    return await sendMail({ smtpUrl, mailFrom }, composed.to, mail, { stop })
  } catch (error) {
    return { is: 'refused', message: `The mail could not be written: ${wordsOf(error)}` }
  }
}
