/**
 * The service's settings: flags win over the environment, the environment over a `.env` file, and that file over the
 * defaults. Settings are read and checked once; an invalid setting is an error that names the variable, the value and
 * what is wanted. docs/operate.md has the table.
 */
import { isIP, isIPv6 } from 'node:net'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { readTextFile } from '@svc/blueprint/read-file'
import { isEmail, isOwnMachineOnly, readDotenvText, readName, repeatedNames, shown, trimInvisible } from '@svc/protocol'
import { readSmtpUrl } from '../deliveries/smtp.ts'
import { hasArgon2, passwordForms } from '../people/accounts/password-forms.ts'
import { oidcSettings, readDomains, readIssuer } from '../people/oidc/settings.ts'
import type { Config, OidcSettings, PasswordForm } from '../platform/base.ts'
import { ConfigError } from '../platform/errors.ts'
import { readAddresses } from '../platform/http/address.ts'
import { ownVersion, pathBeside } from '../platform/installed.ts'
import { domainOfMails } from '../platform/mail-host.ts'

/** The settings of the service, and facts about how they were set. */
export interface ServiceSettings extends Config {
  /** True if somebody set SVC_METRICS_PORT. Only then is it an error when another program uses that port. */
  metricsPortChosen: boolean
  /** Sentences about mistakes in the settings that do not keep the service from starting, such as unknown names. */
  remarks: readonly string[]
}

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>

/** Reads the settings from the environment and the `.env` file of the current folder. `flags` win over both. */
export function readConfig({
  flags = {},
  env = process.env,
  cwd = process.cwd(),
}: {
  flags?: Variables
  env?: Variables
  cwd?: string
} = {}): ServiceSettings {
  const { variables, remarks } = readEnvFile(join(cwd, '.env'))
  const config = configOf({ ...variables, ...filled(env), ...filled(flags) }, cwd)
  const unknown = unknownNames(Object.keys(filled(env)), 'the environment')
  return { ...config, remarks: [...remarks, ...unknown, ...unreached(config)] }
}

/** A remark if the service listens for other machines, but answers only at an address that they cannot reach. */
const unreached = ({ host, baseUrl }: Config): string[] =>
  isOwnMachineOnly(baseUrl) && (/^(?:0\.0\.0\.0|::)$/.test(host) || !isOwnMachineOnly(originOf(host)))
    ? [
        `SVC_HOST is ${host}, but the service answers only at ${baseUrl}, which no other machine or container reaches; set SVC_BASE_URL to an address that they reach`,
      ]
    : []

const originOf = (host: string) => `http://${isIPv6(host) ? `[${host}]` : host}`

/** Converts environment variables to settings. Relative paths in them are relative to `cwd`. */
export function configOf(given: Variables, cwd: string): ServiceSettings {
  const read = <T>(name: keyof typeof variableWords, reader: (text: string) => T | undefined, otherwise: T): T => {
    const text = given[name] && trimInvisible(given[name])
    if (!text) return otherwise
    const wrong = name === 'SVC_DATABASE_URL' ? wrongWithDatabaseAddress(text) : undefined
    if (wrong !== undefined) throw new ConfigError(`${name} ${wrong}`)
    const value = reader(text)
    if (value !== undefined) return value
    const quoted = secret.has(name) ? '(not repeated here, it may hold a password)' : shown(text)
    throw new ConfigError(`${name} must be ${variableWords[name]}: got ${quoted}`)
  }
  const port = read('SVC_PORT', portFrom(1), 8787)
  const metricsPort = read('SVC_METRICS_PORT', portFrom(0), 9787)
  if (port === metricsPort) throw new ConfigError(`SVC_METRICS_PORT and SVC_PORT must differ: both are ${port}`)
  const baseUrl = read('SVC_BASE_URL', origin, `http://localhost${port === 80 ? '' : `:${port}`}`)
  const oidc = oidcSettings(
    {
      issuer: read<string | undefined>('SVC_OIDC_ISSUER', readIssuer, undefined),
      clientId: read<string | undefined>('SVC_OIDC_CLIENT_ID', secretText, undefined),
      clientSecret: read<string | undefined>('SVC_OIDC_CLIENT_SECRET', secretText, undefined),
      allow: read<OidcSettings['allow'] | undefined>('SVC_OIDC_ALLOW', readDomains, undefined),
      name: read<string | undefined>('SVC_OIDC_NAME', providerName, undefined),
      only: read('SVC_OIDC_ONLY', onOrOff, false),
    },
    baseUrl,
  )
  if (typeof oidc === 'string') throw new ConfigError(oidc)
  return {
    baseUrl,
    host: read('SVC_HOST', host, '127.0.0.1'),
    port,
    dataDir: resolve(cwd, read('SVC_DATA_DIR', path, 'svc-data')),
    databaseUrl: read<string | undefined>('SVC_DATABASE_URL', (text) => text, undefined),
    trustedProxies: read('SVC_TRUSTED_PROXIES', proxies, []),
    outboundAllow: read('SVC_OUTBOUND_ALLOW', readAddresses, []),
    smtpUrl: read<string | undefined>('SVC_SMTP_URL', smtpAddress, undefined),
    mailFrom: read('SVC_MAIL_FROM', sender, `svc@${domainOfMails(baseUrl)}`),
    heartbeatUrl: read<string | undefined>('SVC_HEARTBEAT_URL', webAddress, undefined),
    metricsPort,
    metricsPortChosen: Boolean(given.SVC_METRICS_PORT?.trim()),
    metricsFleet: read('SVC_METRICS_FLEET', onOrOff, false),
    metricsAgents: read('SVC_METRICS_AGENTS', agentsCounted, 5000),
    logLevel: read('SVC_LOG_LEVEL', (text) => logLevels.find((level) => level === text), 'info'),
    securityContact: read<string | undefined>('SVC_SECURITY_CONTACT', contact, undefined),
    passwordForm: read('SVC_PASSWORD_HASH', passwordForm, 'scrypt'),
    oidc,
    releaseDir: resolve(cwd, read('SVC_RELEASE_DIR', path, pathBeside('release'))),
    version: ownVersion(),
    remarks: [],
  }
}

/**
 * The settings whose values may contain a password or a token. Error messages about these settings do not repeat the
 * value.
 */
const secret: ReadonlySet<string> = new Set([
  'SVC_DATABASE_URL',
  'SVC_HEARTBEAT_URL',
  'SVC_OIDC_CLIENT_SECRET',
  'SVC_SMTP_URL',
])

const maxMetricsAgents = 100_000

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** For each environment variable, the words about accepted values that follow "must be" in a message. */
export const variableWords = {
  SVC_BASE_URL:
    'the address where people and agents reach the service, an http:// or https:// origin without a path, such as https://svc.example.org',
  SVC_HOST: 'the address to listen on, an IP address or localhost (0.0.0.0 is every IPv4 address of the machine)',
  SVC_PORT: 'a port from 1 to 65535',
  SVC_DATA_DIR: 'a folder',
  SVC_DATABASE_URL:
    'a PostgreSQL address that starts with postgres:// or postgresql://, or unset for the embedded database',
  SVC_TRUSTED_PROXIES:
    'IP addresses of proxies or networks that only proxies use, separated by commas, such as 127.0.0.1,10.1.0.0/24',
  SVC_OUTBOUND_ALLOW:
    'networks or IP addresses that alerts may be sent to though they are not public, separated by commas, such as 10.0.0.0/8',
  SVC_SMTP_URL:
    'the address of a mail server that starts with smtp:// or smtps://, with a user name and a password or without both, such as smtps://user:password@mail.example.org, or unset: no mail is sent',
  SVC_MAIL_FROM: 'an email address, or a name and an address such as Alerts <svc@example.org>',
  SVC_HEARTBEAT_URL: 'an http:// or https:// address that is called each minute while alerts work',
  SVC_METRICS_PORT: 'a port from 1 to 65535, or 0 for none',
  SVC_METRICS_FLEET: 'on or off',
  SVC_METRICS_AGENTS: `a number of agents from 1 to ${maxMetricsAgents}`,
  SVC_LOG_LEVEL: `one of ${logLevels.join(', ')}`,
  SVC_RELEASE_DIR: 'a folder',
  SVC_SECURITY_CONTACT: 'an email address or an https:// address where people report vulnerabilities',
  SVC_OIDC_ISSUER:
    'the issuer of the sign-in provider (OpenID Connect), an https:// address without a query, such as https://login.example.org, or unset: people sign in here only',
  SVC_OIDC_CLIENT_ID: 'the id of this service at the sign-in provider, of at most 500 characters without spaces',
  SVC_OIDC_CLIENT_SECRET:
    'the secret of this service at the sign-in provider, of at most 500 characters without spaces',
  SVC_OIDC_ALLOW:
    'the domains of addresses that get an account through the sign-in provider, separated by commas, such as example.org, or * for all',
  SVC_OIDC_NAME: 'the name of the sign-in provider on the page, of at most 60 characters',
  SVC_OIDC_ONLY: 'on or off; on: nobody signs in with a password',
  SVC_PASSWORD_HASH: 'scrypt, or argon2id where this Node has it (24.7 or newer)',
} as const

function origin(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:\/\//i.test(text) || url.username || url.password) return undefined
  const bare = url.pathname === '/' && !text.includes('?') && !text.includes('#')
  return bare && url.hostname ? url.origin : undefined
}

const webAddress = (text: string) => (/^https?:\/\//i.test(text) ? URL.parse(text)?.href : undefined)

const smtpAddress = (text: string) => (readSmtpUrl(text) ? text : undefined)

/**
 * Reads the sender of mails: an address alone, or a name that needs no quotes followed by the address in angle
 * brackets. Undefined for anything else.
 */
function sender(text: string): string | undefined {
  const [, name = '', address = text] = /^([^<>"@,;:\\()[\]\p{C}]{1,100}) <([^<>]*)>$/u.exec(text) ?? []
  if (!isEmail(address)) return undefined
  return name.trim() ? `${name.trim()} <${address}>` : address
}

/** Returns the security contact as a URI, which security.txt requires. */
const contact = (text: string): string | undefined => {
  if (isEmail(text)) return `mailto:${text}`
  return /^https:\/\//i.test(text) ? URL.parse(text)?.href : undefined
}

const passwordForm = (text: string): PasswordForm | undefined => {
  const form = passwordForms.find((each) => each === text)
  return form === 'argon2id' && !hasArgon2 ? undefined : form
}

const secretText = (text: string) => (/^[\x21-\x7e]{1,500}$/.test(text) ? text : undefined)

function providerName(text: string): string | undefined {
  const name = readName(text, 60)
  return name.ok ? name.value : undefined
}

const host = (text: string) => (isIP(text) || text === 'localhost' ? text : undefined)
const path = (text: string) => (text.includes('\0') ? undefined : text)

const onOrOff = (text: string) => (text === 'on' ? true : text === 'off' ? false : undefined)

function agentsCounted(text: string): number | undefined {
  const number = Number(text)
  return /^\d{1,6}$/.test(text) && number >= 1 && number <= maxMetricsAgents ? number : undefined
}

function portFrom(min: number) {
  return (text: string) => {
    const port = Number(text)
    return /^\d{1,5}$/.test(text) && port >= min && port <= 65535 ? port : undefined
  }
}

/**
 * Reads the addresses and networks of proxies. A network of all addresses is refused, because every client could then
 * claim to call from any address.
 */
function proxies(text: string): string[] | undefined {
  const entries = readAddresses(text)
  return entries?.some((entry) => entry.endsWith('/0')) ? undefined : entries
}

/** Returns the variables whose names start with SVC_ and that have a value; an empty variable counts as unset. */
const filled = (variables: Variables) =>
  Object.fromEntries(Object.entries(variables).filter(([name, value]) => name.startsWith('SVC_') && value?.trim()))

/** The maximum size of the `.env` file. */
const maxEnvFile = 1024 * 1024

/**
 * Reads the `.env` file. Throws ConfigError if the file is not text, or if a line about one of our variables is not
 * understood. Lines of other programs are ignored.
 */
function readEnvFile(file: string): { variables: Variables; remarks: string[] } {
  const read = readTextFile(file, maxEnvFile)
  if (read.is === 'missing') return { variables: {}, remarks: [] }
  if (read.is === 'unreadable') throw new ConfigError(`${file} ${read.why}.`)
  const { lines, faults } = readDotenvText(read.text)
  const rows = read.text.split('\n')
  const wrong = faults.filter(({ line }) => rows[line - 1]?.includes('SVC_'))
  if (wrong.length > 0) throw new ConfigError(wrong.map(({ line, why }) => `${file}: line ${line} ${why}.`).join('\n'))
  const own = lines.filter(({ name }) => name.startsWith('SVC_'))
  const remarks = [
    ...repeatedNames({ lines: own }).map(
      ({ name, lines: at }) => `${name} occurs in lines ${at.join(' and ')} of ${file}; the last one counts`,
    ),
    ...unknownNames(
      own.map(({ name }) => name),
      file,
    ),
  ]
  return { variables: filled(parseEnv(read.text)), remarks }
}

/** Names that other parts of svc read: tests, tools, and an agent beside the service. */
const otherNames =
  /^SVC_(?:TEST|TIME|BINDING|SETTING|AGENT|BENCH)_|^SVC_(?:URL|TOKEN|CODE|DEBUG|SSH_KEYGEN|SYSTEMD_SYSTEM_DIR|STATE_DIR|PAUSE_FILE|RUN_NOW_FILE|SETTINGS_FILE|STARTED_AS)$/

/** Sentences about variables that look like settings of the service and are not. */
function unknownNames(names: readonly string[], where: string): string[] {
  const unknown = [...new Set(names)].filter((name) => !Object.hasOwn(variableWords, name) && !otherNames.test(name))
  if (unknown.length === 0) return []
  return [
    `${unknown.join(', ')} in ${where} is not a setting of the service; known are ${Object.keys(variableWords).join(', ')}`,
  ]
}

// The functions below check an address of PostgreSQL, wherever somebody gives one. Messages repeat no part of the
// address, because it may contain a password.

/**
 * The reason to refuse an address, as the end of a sentence that begins with the name of the setting or option.
 * Undefined if it can be used.
 */
export function wrongWithDatabaseAddress(text: string): string | undefined {
  if (hasBareSeparator(text)) return bareSeparator
  if (hasSeveralHosts(text)) return oneHost
  return /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text.replace(/@\//, '@localhost/')) ? undefined : noAddress
}

const noAddress =
  'must be a PostgreSQL address that starts with postgres:// or postgresql://: got (not repeated here, it may hold a password)'

/**
 * True if the user name or password in an address of PostgreSQL has a character that would be read as a separator, or a
 * `%` that begins no escape. Such an address would be split at the wrong place, so messages about its parts could
 * repeat a part of the password.
 */
function hasBareSeparator(text: string): boolean {
  const [, authority = '', path = '', rest = ''] = /^[a-z]+:\/\/([^/?#]*)([^?#]*)(.*)$/s.exec(text) ?? []
  const isCut = authority.includes(':') && !authority.includes('@') && rest.includes('@')
  return path.includes('@') || isCut || /%(?![0-9a-f]{2})/i.test(authority)
}

const bareSeparator =
  'has a character in its user name or password that separates the parts of an address. Write @ as %40, / as %2F, : as %3A, ? as %3F, # as %23 and % as %25.'

/**
 * True for a PostgreSQL address with several hosts, which libpq tries one after another: `a,b` before the path, or
 * several values of the parameters `host`, `hostaddr` or `port`.
 */
function hasSeveralHosts(text: string): boolean {
  const [, authority = '', query = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)[^?#]*(?:\?([^#]*))?/.exec(text) ?? []
  if (authority.slice(authority.lastIndexOf('@') + 1).match(/,|%2c/i)) return true
  const given = new URLSearchParams(query)
  return ['host', 'hostaddr', 'port'].some((name) => given.getAll(name).length > 1 || given.get(name)?.includes(','))
}

const oneHost =
  'names several hosts, and the service uses one. Name something that leads to the primary: a proxy such as HAProxy or pgbouncer, a floating IP address, or a DNS name that the failover moves (docs/operate.md, "Failover").'
