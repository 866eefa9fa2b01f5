/**
 * Checks names that become folders or variables, or parts of them (D46, D50, D51). Each `wrongWith…` returns what is
 * wrong as the middle of a sentence, or undefined for a valid name.
 */
import { limits, limitText } from '@svc/protocol'

const deviceNamePattern = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** Checks the name of an agent or a blueprint, which becomes the name of a folder (D50). */
export function wrongWithAgentName(name: string): string | undefined {
  if (!/^[a-z0-9](?:-?[a-z0-9])*$/.test(name))
    return 'must be lowercase letters, digits and single hyphens between them'
  if (name.length > limits.agentName) return `must be at most ${limits.agentName} characters`
  return deviceNamePattern.test(name) ? 'must not be the name of a device' : undefined
}

/** Checks the id of a product, which becomes part of variable names (D46). */
export const wrongWithProductId = (id: string): string | undefined =>
  /^[a-z][a-z0-9_]{0,62}$/.test(id)
    ? undefined
    : 'must be lowercase letters, digits and underscores, starting with a letter'

/**
 * Variables that programs or their loaders obey, by program; no secret may have such a name (D51). A name ending in `*`
 * stands for all names that begin with it. Variables for a password or a token are left out, so secrets may have them.
 */
const obeyed: Readonly<Record<string, string>> = {
  'c libraries':
    'LD_* DYLD_* MALLOC_* GLIBC_* GCONV_* LC_* LANG LANGUAGE LOCPATH NLSPATH HOSTALIASES LOCALDOMAIN RES_OPTIONS TZ',
  compose: 'COMPOSE_*',
  curl: 'CURL_HOME',
  docker: 'DOCKER_HOST* DOCKER_CONFIG* DOCKER_CONTEXT*',
  dotnet:
    'DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE DOTNET_ROOT* CORECLR_* COR_PROFILER* COR_ENABLE_PROFILING',
  erlang: 'ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS ELIXIR_ERL_OPTIONS',
  git: 'GIT_SSH* GIT_EXEC* GIT_CONFIG* GIT_EDITOR* GIT_PAGER* GIT_ASKPASS* GIT_TEMPLATE* GIT_EXTERNAL* GIT_PROXY* GIT_DIR* GIT_WORK*',
  java: 'JAVA_* _JAVA_* JDK_JAVA* CLASSPATH',
  less: 'LESSOPEN LESSCLOSE',
  lua: 'LUA_INIT* LUA_PATH* LUA_CPATH*',
  network: 'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSLKEYLOGFILE',
  node: 'NODE_OPTIONS* NODE_PATH* NODE_EXTRA_CA_CERTS* NODE_TLS_REJECT_UNAUTHORIZED* NPM_CONFIG*',
  openssl: 'OPENSSL_* SSL_CERT*',
  perl: 'PERL5* PERLLIB',
  php: 'PHPRC PHP_INI_SCAN_DIR',
  python: 'PYTHON*',
  r: 'R_PROFILE* R_ENVIRON* R_LIBS* R_HOME',
  ruby: 'RUBY* BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_BIN BUNDLE_CONFIG BUNDLE_APP_CONFIG BUNDLE_USER_CONFIG GEM_HOME GEM_PATH',
  shells: 'BASH* ENV IFS CDPATH PS4 PROMPT_COMMAND SHELLOPTS GLOBIGNORE ZDOTDIR FPATH',
  ssh: 'SSH_ASKPASS* SSH_AUTH_SOCK SUDO_ASKPASS',
  system:
    'PATH HOME USER LOGNAME SHELL PWD TMPDIR TEMP TMP TERM EDITOR VISUAL PAGER XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS',
  wget: 'WGETRC SYSTEM_WGETRC',
}
const names = Object.values(obeyed).flatMap((line) => line.split(' '))
const loaderVariablePattern = new RegExp(
  `^(?:${names.map((name) => (name.endsWith('*') ? `${name.slice(0, -1)}.*` : name)).join('|')})$`,
)

/** Checks the name of a secret, which becomes the name of an environment variable (D51). */
export function wrongWithSecretName(name: string): string | undefined {
  if (!/^[A-Z][A-Z0-9_]{0,99}$/.test(name)) return 'must be capitals, digits and underscores, starting with a letter'
  if (name.startsWith('SVC_')) return "must not start with SVC_, which is the runtime's own"
  return loaderVariablePattern.test(name) ? 'must not be a variable that programs or their loaders obey' : undefined
}

/**
 * The maximum number of bytes of a variable's value. Linux starts no program with a variable of more than 128 KB,
 * including its name.
 */
const maxEnvValue = 120 * 1024

/** Checks the value of a variable in an environment file (2.9, D51). */
export function wrongWithEnvValue(value: string): string | undefined {
  if (/[\r\n\0]/.test(value)) return 'must not hold a line break or a NUL'
  if (new TextEncoder().encode(value).length <= maxEnvValue) return undefined
  return `must be at most ${limitText(maxEnvValue)}`
}
