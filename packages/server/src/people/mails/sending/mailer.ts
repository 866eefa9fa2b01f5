/**
 * Mails about accounts wait in the database, so that no request waits for the mail server. The dispatcher that sends
 * messages about alerts sends them, too. A mail that is not accepted is tried again at the same times as a message
 * about alerts, until it is too old (queue.ts).
 */
import type { Logger } from 'pino'
import { errorWords } from '../../../deliveries/attempt.ts'
import { withReachNote } from '../../../deliveries/channels/call.ts'
import { mailOf } from '../../../deliveries/channels/mail.ts'
import { answerWords, deliveryOutcomeOf, type TryResult } from '../../../deliveries/outbox.ts'
import type { DueWork } from '../../../deliveries/slots.ts'
import { sendMail } from '../../../deliveries/smtp.ts'
import type { DeliverySource } from '../../../deliveries/source.ts'
import type { Config } from '../../../platform/base.ts'
import type { Store } from '../../../platform/db/open.ts'
import type { SealKey } from '../../../platform/seal.ts'
import type { Auth } from '../../accounts/auth.ts'
import { claimMail, dueMails, forgetMail, giveMailBack, maxAgeOf, planNextTry, type WaitingMail } from '../queue.ts'
import { composeMail } from './compose.ts'

/** The milliseconds of a try after which the receiver counts as slow, and waits behind others. */
const slowMs = 5000
/** The maximum number of receivers for which the outcome of the last mail is remembered. */
const maxRemembered = 10_000

interface MailerParts {
  store: Store
  auth: Auth
  config: Pick<Config, 'baseUrl' | 'smtpUrl' | 'mailFrom'>
  log: Pick<Logger, 'warn'>
  now: () => number
  /** The key from which the tokens of links in mails are derived. */
  key: SealKey
  /** Sends a mail; tests replace it. */
  send?: typeof sendMail
}

/**
 * The mails about accounts as work of the dispatcher. Mails of one party (`partyOf`) share slots, and a receiver whose
 * last mail failed or was slow counts as one that fails.
 */
export function accountMails(mailing: MailerParts): DeliverySource {
  const { store, config, now } = mailing
  /** For each receiver, true if its last mail was accepted in time. */
  const works = new Map<string, boolean>()
  return {
    async due(at) {
      if (config.smtpUrl === undefined) return []
      return (await dueMails(store, at)).map(({ mail, dueAt }) => ({
        id: mail.id,
        ...partyOf(mail),
        works: works.get(partyOf(mail).receiver) ?? null,
        dueAt,
        triedAt: mail.tries === 0 ? null : dueAt,
      }))
    },
    async serve({ id, receiver }, stop) {
      const mail = await claimMail(store, id, now())
      if (!mail) return 0
      const at = performance.now()
      const isTaken = await sendOne(mail, mailing, stop)
      if (isTaken === undefined) return 1
      works.delete(receiver)
      works.set(receiver, isTaken && performance.now() - at < slowMs)
      for (const first of works.keys()) {
        if (works.size <= maxRemembered) break
        works.delete(first)
      }
      return 1
    },
  }
}

/**
 * The party and the receiver of a mail. The receiver is the domain of the address or, if the topic does not name it,
 * the person or the invitation.
 */
function partyOf({ id, topic }: WaitingMail): Pick<DueWork, 'party' | 'receiver' | 'isAwaited' | 'byStranger'> {
  if (topic?.kind === 'forgot') {
    const domain = topic.email.slice(topic.email.lastIndexOf('@') + 1)
    return { party: `forgot ${domain}`, receiver: domain, isAwaited: true, byStranger: true }
  }
  if (topic?.kind === 'invitation')
    return { party: `mails of ${topic.workspace ?? ''}`, receiver: topic.domain ?? topic.invitation }
  if (!topic) return { party: id, receiver: id }
  const workspace = topic.kind === 'notice' ? topic.workspace : undefined
  return { party: workspace === undefined ? topic.person : `mails of ${workspace}`, receiver: topic.person }
}

/**
 * Tries a mail once and stores the outcome. A mail that cannot be written counts as tried, like one that is refused.
 * True if the mail server accepted the mail; undefined if the try says nothing about the receiver.
 */
async function sendOne(waiting: WaitingMail, mailing: MailerParts, stop: AbortSignal): Promise<boolean | undefined> {
  const { store, log, now } = mailing
  const { topic, tries, createdAt } = waiting
  const kind = topic?.kind ?? 'unknown'
  if (now() - createdAt > maxAgeOf(topic)) {
    log.warn({ kind, tries }, 'mail about an account given up: it is too old')
    await forgetMail(store, waiting)
    return undefined
  }
  const answer = await tryOnce(waiting, mailing, stop)
  if (answer === undefined || answer.is === 'stopped') {
    await (answer ? giveMailBack : forgetMail)(store, waiting)
    return undefined
  }
  const outcome = deliveryOutcomeOf(answer, { createdAt, tries }, now(), Math.random())
  if (outcome.is === 'dead') log.warn({ kind, answer: answerWords(answer) }, 'mail about an account given up')
  if (outcome.is === 'again') await planNextTry(store, waiting, outcome.dueAt)
  else await forgetMail(store, waiting)
  return answer.is === 'refused' ? undefined : outcome.is === 'sent'
}

/** The result of a try; undefined if the mail has no receiver or is no longer needed. */
async function tryOnce(
  waiting: WaitingMail,
  { store, auth, config, now, key, send = sendMail }: MailerParts,
  stop: AbortSignal,
): Promise<TryResult | undefined> {
  const { smtpUrl, mailFrom, baseUrl } = config
  if (smtpUrl === undefined) return undefined
  if (!waiting.topic) return { is: 'refused', message: 'This version of the service does not know this kind of mail.' }
  try {
    const people = { store, auth, config }
    const composed = await composeMail(waiting.topic, { people, mail: waiting, key, now: now() })
    if (!composed) return undefined
    const mail = mailOf({ id: waiting.id, text: withReachNote(composed.text), baseUrl })
    return await send({ smtpUrl, mailFrom }, composed.to, mail, { stop })
  } catch (error) {
    return { is: 'refused', message: `The mail could not be written: ${errorWords(error)}` }
  }
}
