/**
 * Sends the mails about accounts that wait in the database, so that no request waits for the mail server. A mail that
 * is not accepted is tried again as often, and at the same times, as a message about alerts.
 */
import type { Logger } from 'pino'
import type { Config } from '../base.ts'
import type { Store } from '../db/open.ts'
import { mailOf } from '../deliveries/channels/mail.ts'
import { answerWords, outcomeOf } from '../deliveries/outbox.ts'
import { sendMail } from '../deliveries/smtp.ts'
import type { Auth } from '../people/auth.ts'
import { claimMails, forgetMail, tryLater, type WaitingMail } from '../people/mails.ts'
import { compose } from './compose.ts'

const everyMs = 2000

interface Mailing {
  store: Store
  auth: Auth
  config: Pick<Config, 'baseUrl' | 'smtpUrl' | 'mailFrom'>
  log: Pick<Logger, 'warn'>
  now: () => number
}

interface Mailer {
  start(): void
  /** Tries once the mails that are due, at most a few in one call; the others follow in the next call. */
  send(): Promise<void>
  stop(): Promise<void>
}

export function newMailer({ store, auth, config, log, now }: Mailing): Mailer {
  const { smtpUrl, mailFrom, baseUrl } = config
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  return { start: plan, send, stop }

  function plan(): void {
    if (smtpUrl === undefined || ending.signal.aborted) return
    timer = setTimeout(() => {
      send()
        .catch((error) => log.warn({ err: error }, 'mails about accounts could not be sent; retrying soon'))
        .finally(plan)
    }, everyMs).unref()
  }

  function send(): Promise<void> {
    sending ??= sendDue().finally(() => {
      sending = undefined
    })
    return sending
  }

  async function sendDue(): Promise<void> {
    for (const waiting of await claimMails(store, now())) {
      if (ending.signal.aborted) return
      await sendOne(waiting)
    }
  }

  async function sendOne(waiting: WaitingMail): Promise<void> {
    const { topic, tries, createdAt, id } = waiting
    const composed = await compose(topic, { people: { store, auth, config }, createdAt, now: now() })
    if (!composed || smtpUrl === undefined) return forgetMail(store, waiting)
    const mail = mailOf({ id, text: composed.text, baseUrl })
    const answer = await sendMail({ smtpUrl, mailFrom }, composed.to, mail, { signal: ending.signal })
    // This process is stopping and may have interrupted the sending, which says nothing about the mail server. The mail
    // stays queued and is sent again later.
    if (ending.signal.aborted && answer.is !== 'status') return
    const outcome = outcomeOf(answer, { createdAt, tries }, now(), Math.random())
    if (outcome.is === 'again') return tryLater(store, waiting, outcome.dueAt)
    if (outcome.is === 'dead')
      log.warn({ kind: topic.kind, answer: answerWords(answer) }, 'mail about an account given up')
    return forgetMail(store, waiting)
  }

  async function stop(): Promise<void> {
    clearTimeout(timer)
    ending.abort()
    await sending?.catch(() => {})
  }
}
