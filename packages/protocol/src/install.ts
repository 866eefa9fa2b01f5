/** The install calls (2.9): the bodies of the requests `preview` and `redeem`, and the answers to them. */
import { boolean, exactText, type FieldValue, field, isObject, list, name, object, text } from './fields.ts'
import { readJson } from './json.ts'
import { limits } from './limits.ts'
import type { Verdict } from './refusals.ts'
import { settingDefault, settingFields } from './settings.ts'
import { shown } from './text.ts'
import { isVersion, semanticVersionShape, sha256Shape } from './versions.ts'

/**
 * Reads the body of an install call, `preview` or `redeem`. A body without a string `code` is refused (D45). This
 * function does not check whether the code is valid.
 */
export function readInstallBody(body: Uint8Array): Verdict<{ code: string }, 'body_invalid'> {
  const json = readJson(body)
  if (!json.ok) return json
  if (typeof json.value.code === 'string') return { ok: true, value: { code: json.value.code } }
  return { ok: false, code: 'body_invalid', message: 'The body must hold the install code as the text "code".' }
}

/** The maximum number of install codes that one request can issue. */
export const maxCodesAtOnce = 50

/**
 * The form of an agent's name, which is also the name of its folder (D50): lowercase letters, digits, and single
 * hyphens between them.
 */
const agentNameShape = /^[a-z0-9](?:-?[a-z0-9])*$/
const deviceName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/
export const isAgentName = (v: string): boolean =>
  v.length <= limits.agentName && agentNameShape.test(v) && !deviceName.test(v)

/**
 * Returns the first `count` names of `base`, `base-2`, `base-3`, … that are not in `taken`. A long `base` is cut, so
 * that its number fits.
 */
export function freeNames(base: string, taken: ReadonlySet<string>, count: number): string[] {
  const free: string[] = []
  for (let n = 1; free.length < count; n++) {
    const ending = n === 1 ? '' : `-${n}`
    const name = base.slice(0, limits.agentName - ending.length).replace(/-$/, '') + ending
    if (!taken.has(name)) free.push(name)
  }
  return free
}

/**
 * True if a text is a valid id of a product. The names of environment variables are derived from ids, and this rule
 * keeps them valid and distinct (D46).
 */
export const isProductId = (v: string): boolean => v.length <= limits.agentName && /^[a-z][a-z0-9_]*$/.test(v)

const secret = object({ name: name(limits.name), purpose: text(limits.line), optional: boolean }, 'name', 'purpose')
const binding = object(
  { product: name(limits.name), role: name(limits.name), scopes: list(name(limits.name), limits.options) },
  'product',
  'role',
)
const need = object(
  { name: name(limits.name), min: name(limits.name), version_args: list(text(limits.name), 5) },
  'name',
)
export type NeedSpec = FieldValue<typeof need>
/** A setting of a blueprint (2.4), with the default value that applies until somebody sets it. */
const settingSpec = object({ ...settingFields, default: settingDefault }, 'key', 'type')
export type SettingSpec = FieldValue<typeof settingSpec>
export type SecretSpec = FieldValue<typeof secret>

/**
 * The preview of what an install code would install (2.9). The preview contains no secret value, no token and no file
 * name.
 */
export const preview = object(
  {
    blueprint: name(limits.name),
    version: exactText(limits.version, semanticVersionShape),
    description: text(limits.line),
    agentName: field((v) => (typeof v === 'string' && isAgentName(v) ? v : undefined), {
      type: 'string',
      pattern: agentNameShape.source,
      maxLength: limits.agentName,
    }),
    runtime: name(limits.name),
    secrets: list(secret, limits.settings),
    bindings: list(binding, limits.settings),
    /** The programs that the agent needs on its machine. */
    needs: list(need, limits.settings),
    /** The oldest version of svc that understands the manifest; absent if every version understands it. */
    svc: exactText(limits.version, semanticVersionShape),
    /**
     * The settings of the blueprint; absent if the service is too old to send them. The machine then reads them from
     * the manifest after the installation.
     */
    settings: list(settingSpec, limits.settings),
  },
  'blueprint',
  'version',
  'agentName',
)
export type InstallPreview = FieldValue<typeof preview>

/**
 * The answer to redeeming an install code (2.9), which the service gives only once. `env` becomes the file
 * `.svc/agent.env`.
 */
export interface RedeemedCode {
  agent: { name: string }
  blueprint: string
  version: string
  env: Record<string, string>
  bundle: string
  sha256: string
}

/** True for a name that the service may give to an environment variable of the agent (2.9, D51). */
export const isEnvName = (v: string): boolean => /^SVC_[A-Z0-9_]+$/.test(v)
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding line breaks and NUL is its purpose
export const isEnvValue = (v: string): boolean => !/[\r\n\u0000]/.test(v)

/**
 * Reads the answer to redeeming an install code (2.9). An incomplete or invalid answer is refused as a whole.
 */
export function readRedeemed(v: unknown): Verdict<RedeemedCode, 'answer_invalid'> {
  const bad = (what: string) => ({ ok: false, code: 'answer_invalid', message: `The install answer ${what}.` }) as const
  if (!isObject(v) || !isObject(v.agent) || !isObject(v.env)) return bad('is not what was expected')
  const { agent, blueprint, version, env, bundle, sha256 } = v
  if (typeof agent.name !== 'string' || !isAgentName(agent.name)) return bad('names no agent')
  if (typeof blueprint !== 'string' || typeof bundle !== 'string') return bad('is not whole')
  if (typeof version !== 'string' || !isVersion(version)) return bad('names no version')
  if (typeof sha256 !== 'string' || !sha256Shape.test(sha256)) return bad('names no checksum')
  for (const [key, value] of Object.entries(env)) {
    if (!isEnvName(key)) return bad(`sets a variable that is not the service's: ${shown(key, 60)}`)
    if (typeof value !== 'string' || !isEnvValue(value)) return bad(`holds no text of one line in ${key}`)
  }
  const kept = { ...env } as Record<string, string>
  return { ok: true, value: { agent: { name: agent.name }, blueprint, version, env: kept, bundle, sha256 } }
}

interface RequestedSecrets<T extends Pick<SecretSpec, 'name'>> {
  readonly secrets: readonly T[]
}

/** Returns the secrets of the version `wanted` that at least one of the versions in `used` does not have. */
export const newSecrets = <T extends Pick<SecretSpec, 'name'>>(
  wanted: RequestedSecrets<T> | undefined,
  used: readonly RequestedSecrets<Pick<SecretSpec, 'name'>>[],
): T[] =>
  (wanted?.secrets ?? []).filter(({ name }) =>
    used.some(({ secrets }) => !secrets.some((known) => known.name === name)),
  )
