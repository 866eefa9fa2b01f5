/** Names that become folders, variables or parts of them (D46, D50, D51). Each `wrongWith…` gives the middle of a sentence. */
import { limits } from '@svc/protocol'

const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** D50: a name that becomes a folder: of an agent, and of the blueprint it comes from. */
export function wrongWithAgentName(name: string): string | undefined {
  if (!/^[a-z0-9](?:-?[a-z0-9])*$/.test(name))
    return 'must be lowercase letters, digits and single hyphens between them'
  if (name.length > limits.agentName) return `must be at most ${limits.agentName} characters`
  return devices.test(name) ? 'must not be the name of a device' : undefined
}
export const isAgentName = (name: string): boolean => wrongWithAgentName(name) === undefined

/** D46: product ids become parts of variable names. */
export const wrongWithProductId = (id: string): string | undefined =>
  /^[a-z][a-z0-9_]{0,62}$/.test(id)
    ? undefined
    : 'must be lowercase letters, digits and underscores, starting with a letter'
export const isProductId = (id: string): boolean => wrongWithProductId(id) === undefined

/** What programs and their loaders read before the agent's own first line does (D51). */
const loaders =
  /^(?:LD_|DYLD_|PYTHON|PERL5|RUBY|_?JAVA_|JDK_JAVA|MALLOC_|GLIBC_|GCONV_|BASH|LC_|OPENSSL_|SSL_CERT|COMPOSE_|DOCKER_(?:HOST|CONFIG|CONTEXT)|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|NPM_CONFIG|GIT_(?:SSH|EXEC|CONFIG|EDITOR|PAGER|ASKPASS|TEMPLATE|EXTERNAL|PROXY|DIR|WORK)|(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|TMPDIR|TEMP|TMP|IFS|ENV|CDPATH|PS4|PROMPT_COMMAND|SHELLOPTS|GLOBIGNORE|LANG|LANGUAGE|LOCPATH|NLSPATH|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|TZ|TERM|EDITOR|VISUAL|PAGER|CLASSPATH|HTTPS?_PROXY|ALL_PROXY|NO_PROXY)$)/

/** D51: a secret that a person types becomes a variable of this name. */
export function wrongWithSecretName(name: string): string | undefined {
  if (!/^[A-Z][A-Z0-9_]{0,99}$/.test(name)) return 'must be capitals, digits and underscores, starting with a letter'
  if (name.startsWith('SVC_')) return "must not start with SVC_, which is the runtime's own"
  return loaders.test(name) ? 'must not be a variable that programs or their loaders obey' : undefined
}

/** D51: the service hands out variables of this name only. */
export const wrongWithServiceVariable = (name: string): string | undefined =>
  /^SVC_[A-Z0-9_]{1,150}$/.test(name)
    ? undefined
    : 'must start with SVC_ and hold only capitals, digits and underscores'

/** 2.9, D51: what no value of an environment file may hold. */
export const wrongWithEnvValue = (value: string): string | undefined =>
  /[\r\n\0]/.test(value) ? 'must not hold a line break or a NUL' : undefined
