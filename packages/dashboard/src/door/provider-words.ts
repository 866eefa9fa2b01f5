/** The sentences about a sign-in through the provider that failed. */
import type { EntryInfo, ProviderFailure } from '@svc/api'

/** Each reason of the address `/sign-in?oidc=REASON` as a sentence that also says what to do. */
const failures: Readonly<Record<ProviderFailure, (name: string, other: string) => string>> = {
  failed: (name) =>
    `You were not signed in through ${name}. Try again; if it keeps failing, ask the operator of this service.`,
  unverified: (name) => `${name} has not verified your email address. Have it verified there, and try again.`,
  domain: (name) =>
    `Email addresses of your domain get no account here. Use another account at ${name}, or ask the operator of this service.`,
  exists: (name, other) =>
    `Your email address already has an account here. ${other}, and connect ${name} under My account.`,
  disabled: () => 'This account is disabled. Ask the operator of this service to enable it.',
  limited: () =>
    'Too many people have made accounts here lately. Try again in an hour, or ask the operator of this service.',
  busy: (name) => `Too many sign-ins through ${name} have failed or are still pending. Try again in some minutes.`,
}

/** Says why the provider signed nobody in, by the reason in the address; undefined if the address names none. */
export function failureInWords(reason: string | null, provider: EntryInfo['oidc']): string | undefined {
  const words = Object.hasOwn(failures, reason ?? '') ? failures[reason as ProviderFailure] : undefined
  const other = provider?.only
    ? 'Sign in with a passkey or with a link from the operator of this service'
    : 'Sign in as before'
  return words?.(provider?.name ?? 'the sign-in provider', other)
}
