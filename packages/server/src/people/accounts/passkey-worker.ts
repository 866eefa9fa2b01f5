/**
 * The worker thread that passkey-thread.ts starts: it checks the answers of browsers about passkeys. In the main
 * thread, loading the library would block every request for a third of a second.
 */
import { parentPort } from 'node:worker_threads'
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject, decodeClientDataJSON, isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers'
import { passkeyAlgorithms } from '../factors/rules.ts'
import type { PasskeyChecked, PasskeyQuestion } from './passkey-thread.ts'

parentPort?.on('message', (question: PasskeyQuestion) => void answer(question))

/**
 * Posts the checked passkey, or undefined if the library throws. The error is dropped, since its message quotes the
 * answer.
 */
async function answer(question: PasskeyQuestion): Promise<void> {
  parentPort?.postMessage(await check(question).catch(() => undefined))
}

async function check(question: PasskeyQuestion): Promise<PasskeyChecked | undefined> {
  const { answer, challenge, origin, host } = question
  const expected = {
    ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: host },
    requireUserVerification: true,
  }
  // The page is never shown in a frame of another site, so an answer from such a frame is refused.
  if (decodeClientDataJSON(answer.response.clientDataJSON).crossOrigin === true) return undefined
  if (question.is === 'new') {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      ...expected,
      response: { ...withoutAttestation(question.answer), type: 'public-key', clientExtensionResults: {} },
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    })
    if (!verified) return undefined
    const { id, publicKey, counter } = registrationInfo.credential
    return { id, publicKey: isoBase64URL.fromBuffer(publicKey), counter }
  }
  const { id, publicKey } = question.passkey
  // The library does not need the user handle: `checkPasskey` compares it with the owner of the passkey.
  const { userHandle: _, ...signed } = question.answer.response
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    ...expected,
    response: { ...question.answer, response: signed, type: 'public-key', clientExtensionResults: {} },
    // The service compares the counter itself, in the statement that raises it.
    credential: { id, publicKey: isoBase64URL.toBuffer(publicKey), counter: 0 },
  })
  return verified ? { id, publicKey, counter: authenticationInfo.newCounter } : undefined
}

/**
 * Returns the answer without its attestation, which the service neither asks for nor trusts. To check one, the library
 * would contact an address that its certificate names.
 */
function withoutAttestation(answer: Extract<PasskeyQuestion, { is: 'new' }>['answer']) {
  const sent = decodeAttestationObject(isoBase64URL.toBuffer(answer.response.attestationObject))
  const plain = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', sent.get('authData')],
  ])
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(plain as never))
  return { ...answer, response: { ...answer.response, attestationObject } }
}
