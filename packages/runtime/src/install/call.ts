/**
 * The two install calls (2.9, 4): the preview of a code, and the redemption that spends it. The code is the only
 * credential.
 */
import { createHash } from 'node:crypto'
import { wrongWithSecretName } from '@svc/blueprint'
import { isToken, limits, type Preview, preview, type Redeemed, readRedeemed, shown, type Verdict } from '@svc/protocol'
import { call, refusalOf, type SendResult } from '../reporter/send.ts'

/** The time limits without a byte and in all (D44). */
const idleSeconds = 30
const redeemSeconds = 15 * 60
/** A bundle of 20 MB in base64, and the rest of the answer. */
const redeemBytes = Math.ceil((limits.bundleBytes * 4) / 3) + 1024 * 1024

type CallResult<T> =
  | { readonly ok: true; readonly value: T }
  /** `unreached`: nothing was sent. `unknown`: the code may be spent. `refused`: it is not spent. */
  | { readonly ok: false; readonly is: 'unreached' | 'unknown' | 'refused'; readonly message: string }

/** Reads what a code would install; creates and spends nothing. */
export async function askPreview(origin: string, code: string, signal: AbortSignal): Promise<CallResult<Preview>> {
  const sent = await call(
    new URL('/api/agent/v1/install/preview', origin),
    { method: 'POST', json: body(code) },
    signal,
  )
  if (sent.is === 'lost') return { ok: false, is: 'unreached', message: `${origin} cannot be reached: ${sent.why}.` }
  const answered = read(sent, origin)
  if (!answered.ok) return answered
  const got = preview(answered.value)
  if (!got) return { ok: false, is: 'refused', message: `${origin} answered, but does not seem to be this service.` }
  const wrong = (got.secrets ?? []).find((secret) => wrongWithSecretName(secret.name))
  if (wrong)
    return {
      ok: false,
      is: 'refused',
      message: `The blueprint asks for a secret ${shown(wrong.name)}, whose name ${wrongWithSecretName(wrong.name)}. Nothing was installed.`,
    }
  return { ok: true, value: got }
}

/**
 * Spends the code (4, rule 5). It is never repeated, since after a failure nobody knows whether the code was spent
 * (D44).
 */
export async function redeem(origin: string, code: string, signal: AbortSignal): Promise<CallResult<unknown>> {
  const sent = await call(
    new URL('/api/agent/v1/install', origin),
    { method: 'POST', json: body(code), seconds: redeemSeconds, idleSeconds, bytes: redeemBytes },
    signal,
  )
  if (sent.is === 'lost')
    return {
      ok: false,
      is: sent.sent ? 'unknown' : 'unreached',
      message: `${origin} sent an incomplete answer: ${sent.why}.`,
    }
  return read(sent, origin)
}

const body = (code: string): string => JSON.stringify({ code })

/** Reads the answer. A 4xx is a refusal that undid everything (4, rule 5); any other failure leaves it open. */
function read({ status, body }: Extract<SendResult, { is: 'answered' }>, origin: string): CallResult<unknown> {
  if (status >= 200 && status <= 299) {
    try {
      return { ok: true, value: JSON.parse(body.toString('utf8')) }
    } catch {
      return { ok: false, is: 'unknown', message: `${origin} answered, but not in JSON.` }
    }
  }
  const { message } = refusalOf(status, body)
  if (status === 404)
    return {
      ok: false,
      is: 'refused',
      message: `${origin} does not know this code. It is mistyped, older than 15 minutes, used or revoked. Ask for a new one.`,
    }
  return { ok: false, is: status >= 400 && status <= 499 ? 'refused' : 'unknown', message: `${origin}: ${message}.` }
}

/** Compares the redeem answer with the preview. From here on the agent exists in the service. */
export function checkRedeemed(answer: unknown, expected: Preview): Verdict<Redeemed & { readonly bytes: Buffer }> {
  const got = readRedeemed(answer)
  if (!got.ok) return got
  const { agent, blueprint, version, env, bundle, sha256 } = got.value
  const differs = (what: string, announced: string, now: string) =>
    bad(`it names ${what} ${shown(now)}, and ${shown(announced)} was announced`)
  if (agent.name !== expected.agentName) return differs('the agent', expected.agentName, agent.name)
  if (blueprint !== expected.blueprint) return differs('the blueprint', expected.blueprint, blueprint)
  if (version !== expected.version) return differs('the version', expected.version, version)
  if (env.SVC_TOKEN === undefined || !isToken('agent', env.SVC_TOKEN)) return bad('it holds no agent token')
  const bytes = Buffer.from(bundle, 'base64')
  const sum = createHash('sha256').update(bytes).digest('hex')
  if (sum !== sha256.toLowerCase()) return bad('the checksum of the bundle does not match')
  return { ok: true, value: { ...got.value, bytes } }
}
const bad = (what: string) =>
  ({ ok: false, code: 'answer_invalid', message: `The install answer was refused: ${what}.` }) as const
