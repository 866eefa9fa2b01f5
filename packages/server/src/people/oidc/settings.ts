/** Reads the settings of the sign-in provider. */
import { domainToASCII } from 'node:url'
import { isOwnMachineOnly } from '@svc/protocol'
import type { OidcSettings } from '../../platform/base.ts'

/** The issuer as a URL; undefined for anything else. */
export function readIssuer(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:\/\//i.test(text) || url.username || url.password || url.search || url.hash) return undefined
  return url.href
}

/**
 * The domains in a list with commas, in lower case and ASCII, or `*` for all; undefined if an entry is not a domain.
 */
export function readDomains(text: string): OidcSettings['allow'] | undefined {
  if (text === '*') return '*'
  const domains = text.split(',').map((each) => domainToASCII(each.trim()).toLowerCase())
  return domains.every((domain) => /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(domain)) ? domains : undefined
}

/** The four settings that are needed, by their names in the environment. */
const requiredVariables = {
  issuer: 'SVC_OIDC_ISSUER',
  clientId: 'SVC_OIDC_CLIENT_ID',
  clientSecret: 'SVC_OIDC_CLIENT_SECRET',
  allow: 'SVC_OIDC_ALLOW',
} as const

type GivenOidc = { [K in keyof typeof requiredVariables]: OidcSettings[K] | undefined } & {
  name: string | undefined
  only: boolean
}

/**
 * Reads the settings of the provider; undefined if none is set. If the service cannot start with them, returns the
 * reason as a string.
 */
export function oidcSettings(
  { issuer, clientId, clientSecret, allow, name, only }: GivenOidc,
  baseUrl: string,
): OidcSettings | undefined | string {
  const four = { issuer, clientId, clientSecret, allow }
  const missing = Object.entries(four).flatMap(([key, value]) =>
    value === undefined ? [requiredVariables[key as keyof typeof requiredVariables]] : [],
  )
  if (missing.length === 4 && name === undefined && !only) return undefined
  if (!issuer || !clientId || !clientSecret || !allow)
    return `Signing in through a provider needs ${Object.values(requiredVariables).join(', ')}: ${missing.join(' and ')} is missing`
  if (isPlainHttp(issuer)) return `SVC_OIDC_ISSUER must begin with https://, except on the same machine: got ${issuer}`
  if (isPlainHttp(baseUrl))
    return `SVC_BASE_URL must begin with https:// if a sign-in provider is set up, except on the same machine: got ${baseUrl}`
  return { issuer, clientId, clientSecret, allow, name: name ?? new URL(issuer).hostname, only }
}

const isPlainHttp = (address: string): boolean => address.startsWith('http:') && !isOwnMachineOnly(address)
