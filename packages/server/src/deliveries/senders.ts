/** The functions that send to channels without HTTP. Email is the only such kind of channel. */
import type { ChannelKind } from '@svc/api'
import type { AttemptLimits } from './attempt.ts'
import type { Delivery, ReceiverAddress } from './channels/call.ts'
import { mailOf } from './channels/mail.ts'
import type { TryResult } from './outbox.ts'
import { sendMail } from './smtp.ts'

/** Tries to send one delivery. This never throws because of something that the receiver does. */
type Sender = (address: ReceiverAddress, delivery: Delivery, limits: AttemptLimits) => Promise<TryResult>
export type Senders = Readonly<Partial<Record<ChannelKind, Sender>>>

interface SenderSettings {
  baseUrl: string
  /** The address of the mail server; undefined if the service sends no mails. */
  smtpUrl: string | undefined
  mailFrom: string
}

export const noMailText = 'This service sends no email. Its operator can set SVC_SMTP_URL and SVC_MAIL_FROM.'

export const sendersOf = ({ baseUrl, smtpUrl, mailFrom }: SenderSettings): Senders => ({
  email: async ({ to = '' }, { id, text, settingsUrl = baseUrl }, limits) =>
    smtpUrl === undefined
      ? { is: 'refused', message: noMailText }
      : sendMail({ smtpUrl, mailFrom }, to, mailOf({ id, text, baseUrl, settingsUrl }), limits),
})
