/**
 * First step of an update: fetches the bundle from the configured origin with the token (4, I25), without following
 * redirects. It decides which failures put the version on hold and which are tried again (D26).
 */
import { createHash } from 'node:crypto'
import { limits, sha256Shape } from '@svc/protocol'
import { call, refusalOf, type SendResult } from '../../machine/client/service-client.ts'
import { readConnection } from '../../machine/files/env.ts'
import type { Came } from './change.ts'
import type { UpdateStep } from './ground.ts'

const idleSeconds = 30
const wholeSeconds = 15 * 60

export const fetching: UpdateStep = async ({ folder, stop, attempt, bundle, say }, { running, to }) => {
  if (!to) return { event: 'dropped' }
  const connection = readConnection(folder)
  if (!connection.ok) return { event: 'unreachable', why: connection.message }
  const { origin, token } = connection.value
  say(`update ${running.version} -> ${to.version}: fetching`)
  const sent = await call(
    new URL(`/api/agent/v1/bundle/${encodeURIComponent(to.version)}`, origin),
    {
      method: 'GET',
      token,
      accept: 'application/zip',
      apart: true,
      seconds: wholeSeconds,
      idleSeconds,
      bytes: limits.bundleBytes,
    },
    attempt(),
  )
  if (stop.aborted) return undefined
  if (attempt().aborted) return { event: 'dropped' }
  const came = judge(sent, to.version)
  if (came.event === 'done' && sent.is === 'answered') bundle.bytes = sent.body
  return came
}

/** Judges the service's answer to the request for a bundle, by the table of D26. */
export function judge(sent: SendResult, version: string): Came {
  if (sent.is === 'lost') {
    return sent.tooLarge
      ? { event: 'refused', why: 'its bundle is larger than 20 MB' }
      : { event: 'unreachable', why: `the bundle could not be fetched: ${sent.why}` }
  }
  const { status, body, headers } = sent
  // Without the code of a refusal about the version, the address may lead elsewhere, which says nothing about it.
  if (status === 404 && refusalOf(status, body).address === undefined)
    return { event: 'refused', why: `the service has no ${version} of this blueprint` }
  if (status !== 200)
    return { event: 'unreachable', why: `the bundle could not be fetched: ${refusalOf(status, body).message}` }
  const named = headers['x-svc-sha256']
  const expected = typeof named === 'string' ? named.trim().toLowerCase() : ''
  // A status of 200 proves little: a network in between may send a page of its own.
  if (!sha256Shape.test(expected))
    return { event: 'unreachable', why: 'the bundle could not be fetched: the answer names no checksum' }
  const sum = createHash('sha256').update(body).digest('hex')
  return sum === expected
    ? { event: 'done', to: { version, sha256: sum } }
    : { event: 'refused', why: 'the checksum of the bundle does not match' }
}
