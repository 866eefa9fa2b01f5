/**
 * The variables of a shell that a connection needs and that a service manager does not give its units: private
 * authorities, proxies, and a HOME that is not the home folder of the account. `.svc/agent.env` remembers them with the
 * connection (D78).
 */
import { homedir, userInfo } from 'node:os'
import { delimiter, isAbsolute, resolve } from 'node:path'

/** The variables that name files, or folders, with certificates of authorities. */
export const authorityNames = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'] as const
const proxyNames = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()])
const names: readonly string[] = [...authorityNames, ...proxyNames, 'HOME']

/**
 * True for a variable whose value is not secret, because it only names files, folders or hosts. The address of a proxy
 * may contain a password.
 */
export const isLocationVariable = (name: string): boolean =>
  [...authorityNames, 'HOME', 'NO_PROXY', 'no_proxy'].some((each) => each === name)

type NamedValues = Readonly<Record<string, string | undefined>>

let remembered: NamedValues = {}

/** Takes the network variables from `.svc/agent.env`, for all requests of this process: a process serves one folder. */
export function noteNetwork(env: ReadonlyMap<string, string>): void {
  remembered = Object.fromEntries(names.map((name) => [name, env.get(name)]))
}

/**
 * The value of a network variable in this process or, if it is not set there, the value remembered with the connection.
 */
export const networkVariable = (name: string): string | undefined => process.env[name] || remembered[name] || undefined

/** The variables that the connection remembers, without those that only this process has. */
export const rememberedVariables = (): NamedValues => remembered

/** The variables with authorities that this process has, and a unit would not have. */
export const unrememberedVariables = (): string[] =>
  authorityNames.filter((name) => process.env[name] && remembered[name] === undefined)

/** True for an origin without TLS whose connections do not leave this machine. */
export const staysOnThisMachine = (origin: string): boolean =>
  /^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/.test(origin)

/**
 * The network variables of this process to write together with an address. A value that is undefined removes the
 * variable from the file. A connection without TLS to this machine itself needs no variables.
 */
export function variablesToRemember(origin: string, own: NamedValues = process.env, home = accountHome()): NamedValues {
  if (staysOnThisMachine(origin)) return {}
  const given = names.filter((name) => name !== 'HOME' && own[name] !== undefined)
  const kept = given.map((name) => [name, keptValue(name, own[name] ?? '')] as const)
  const isOwnHome = own.HOME && isAbsolute(own.HOME) && own.HOME !== home && process.getuid?.() !== 0
  return Object.fromEntries([...kept, ...(isOwnHome ? [['HOME', own.HOME] as const] : [])])
}

/**
 * The value to write into `.svc/agent.env`; undefined if it is empty or has several lines. Paths are made absolute,
 * because a unit does not run in the folder of the shell to which they are relative.
 */
function keptValue(name: string, value: string): string | undefined {
  if (value === '' || /[\r\n\0]/.test(value)) return undefined
  if (name === 'SSL_CERT_DIR')
    return value
      .split(delimiter)
      .filter(Boolean)
      .map((path) => resolve(path))
      .join(delimiter)
  return (authorityNames as readonly string[]).includes(name) ? resolve(value) : value
}

/** The home folder of this account as the system knows it, whatever HOME says. */
function accountHome(): string {
  try {
    return userInfo().homedir
  } catch {
    return homedir() // a user id without a name has no other home folder
  }
}

/**
 * The proxy variable that other programs would use for this address, and svc does not (D78); undefined if there is
 * none, or if NO_PROXY names the host.
 */
export function ignoredProxy({ protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>): string | undefined {
  const either = (name: string) => [name, name.toLowerCase()].find((each) => networkVariable(each))
  const exempt = (networkVariable('NO_PROXY') ?? networkVariable('no_proxy') ?? '').split(/[\s,]+/).filter(Boolean)
  const host = hostname.toLowerCase()
  const isExempt = exempt.some((written) => {
    const name = written
      .toLowerCase()
      .replace(/:\d+$/, '')
      .replace(/^\*?\./, '')
    return name === '*' || host === name || host.endsWith(`.${name}`)
  })
  return isExempt ? undefined : (either(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? either('ALL_PROXY'))
}
