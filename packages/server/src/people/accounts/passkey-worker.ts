/**
 * The worker thread that passkey-thread.ts starts: it checks the answers of browsers about passkeys, one answer at a
 * time. Loading the library takes a third of a second, during which no report could be answered.
 */
import { parentPort } from 'node:worker_threads'
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject, decodeClientDataJSON, isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers'
import { passkeyAlgorithms } from '../factors/rules.ts'
import type { PasskeyChecked, PasskeyQuestion } from './passkey-thread.ts'

parentPort?.on('message', (question: PasskeyQuestion) => void answer(question))

/**
 * The library throws for any error in an answer. The message of its error quotes the answer, so the message is dropped.
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
  // The service, not the device, says whose passkey it is.
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
 * The answer with its attestation left out. The service asks for none and trusts none, and to check a certificate the
 * library would ask an address that the certificate names.
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
