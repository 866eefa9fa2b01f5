/**
 * The two install calls (2.9, 4): the preview, which says what a code would install, and the redemption, which uses the
 * code up. The code is the only credential of both.
 */
import { createHash } from 'node:crypto'
import { wrongWithSecretName } from '@svc/blueprint'
import {
  type InstallPreview,
  isToken,
  limits,
  preview,
  type RedeemedCode,
  readRedeemed,
  shown,
  type Verdict,
} from '@svc/protocol'
import { scaledMs, wait } from '../machine/base/time.ts'
import { callService, refusalOf, type SendResult } from '../machine/client/service-client.ts'

/** A redemption fails after `idleSeconds` without a byte of the answer, and after `redeemSeconds` in all (D44). */
const idleSeconds = 30
const redeemSeconds = 15 * 60
/** The maximum size of the redeem answer: a bundle of 20 MB in base64, and a megabyte for the rest. */
const redeemBytes = Math.ceil((limits.bundleBytes * 4) / 3) + 1024 * 1024

type CallResult<T> =
  | { readonly ok: true; readonly value: T }
  /**
   * A failed call. `unreached`: the code was not sent or, for a preview, no complete answer came; `refused`: this call
   * did not use the code up; `unknown`: a redemption may have used the code up.
   */
  | {
      readonly ok: false
      readonly is: 'unreached' | 'unknown' | 'refused'
      readonly message: string
      /** The seconds to wait before another call, if the service refused this one because of its rate limit. */
      readonly again?: number
    }

/** Asks the service what a code would install. This creates nothing, and the code stays valid. */
export async function askPreview(
  origin: string,
  code: string,
  signal: AbortSignal,
): Promise<CallResult<InstallPreview>> {
  const sent = await callService(
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

/** Redeems the code (4, rule 5). Sends the call once, since after a failure the code may be used up (D44). */
export async function redeemCode(origin: string, code: string, signal: AbortSignal): Promise<CallResult<unknown>> {
  const sent = await callService(
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

/**
 * Reads the answer to an install call. A 4xx is a refusal after which the service has undone everything (4, rule 5).
 * After any other failure it is unknown whether the code was used up.
 */
function read({ status, headers, body }: Extract<SendResult, { is: 'answered' }>, origin: string): CallResult<unknown> {
  if (status >= 200 && status <= 299) {
    try {
      return { ok: true, value: JSON.parse(body.toString('utf8')) }
    } catch {
      return { ok: false, is: 'unknown', message: `${origin} answered, but not in JSON.` }
    }
  }
  const { code, message } = refusalOf(status, body)
  if (status === 429)
    return { ok: false, is: 'refused', message: `${origin}: ${message}.`, again: waitOf(headers['retry-after']) }
  if (code === 'code_unknown')
    return {
      ok: false,
      is: 'refused',
      message: `${origin} does not know this code. It is mistyped, older than 15 minutes, used or revoked. Ask for a new one.`,
    }
  return { ok: false, is: status >= 400 && status <= 499 ? 'refused' : 'unknown', message: `${origin}: ${message}.` }
}

/** The seconds that a header `Retry-After` names, within bounds; a minute if it names none. */
const waitOf = (header: string | undefined): number =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Math.min(Math.max(Number(header), 1), 300) : 60

/**
 * Repeats an install call while the service refuses it because of its rate limit, for at most the lifetime of a code.
 * Many machines behind one address can therefore install one after the other. `waiting` is called before each wait.
 */
export async function retryWhileLimited<T>(
  ask: () => Promise<CallResult<T>>,
  waiting: (seconds: number) => void,
): Promise<CallResult<T>> {
  const never = new AbortController().signal
  for (const end = performance.now() + scaledMs(limits.installCodeSeconds); ; ) {
    const answer = await ask()
    if (answer.ok || answer.again === undefined || performance.now() + scaledMs(answer.again) > end) return answer
    waiting(answer.again)
    await wait(scaledMs(answer.again), never)
  }
}

/** Checks the redeem answer against the preview that the person agreed to. */
export function checkRedeemed(
  answer: unknown,
  expected: InstallPreview,
): Verdict<RedeemedCode & { readonly bytes: Buffer }> {
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
