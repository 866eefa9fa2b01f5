/**
 * The steps of an update, in their order. The two that watch the agent for some time have files of their own:
 * proving.ts and watching.ts.
 */
import { createHash } from 'node:crypto'
import { limits, limitText, sha256Shape } from '@svc/protocol'
import { messageOf } from '../../machine/base/errors.ts'
import { scaledMs, wait } from '../../machine/base/time.ts'
import { callService, refusalOf, type SendResult } from '../../machine/client/service-client.ts'
import { readConnection } from '../../machine/files/env.ts'
import { currentVersionFolder, linkCurrentTo, versionFolderName } from '../../state/versions/folders.ts'
import type { UpdateStepResult } from './change.ts'
import { tickMs, type UpdateStep } from './ground.ts'

/** Waits for a wish of the service while no update is in progress. Requests of people on this machine come first. */
export const idle: UpdateStep = async ({ stop, asked, wish }) => {
  for (;;) {
    const result = asked() ?? wish()
    if (result) return result
    if (!(await wait(tickMs(), stop))) return undefined
  }
}

/** The limits of a download: the longest time without a byte, and the longest time in all. */
const idleSeconds = 30
const wholeSeconds = 15 * 60

/**
 * First step of an update: fetches the bundle from the configured origin with the token (4, I25), without following
 * redirects.
 */
export const fetching: UpdateStep = async ({ folder, stop, attempt, bundle, say }, { running, to }) => {
  if (!to) return { event: 'dropped' }
  const connection = readConnection(folder)
  if (!connection.ok) return { event: 'unreachable', why: connection.message }
  const { origin, token } = connection.value
  say(`update ${running.version} -> ${to.version}: fetching`)
  const sent = await callService(
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
  const result = judgeBundleAnswer(sent, to.version)
  if (result.event === 'done' && sent.is === 'answered') bundle.bytes = sent.body
  return result
}

/** Judges the service's answer to the request for a bundle (D26). `refused` puts the version on hold. */
export function judgeBundleAnswer(sent: SendResult, version: string): UpdateStepResult {
  if (sent.is === 'lost') {
    return sent.tooLarge
      ? { event: 'refused', why: `its bundle is larger than ${limitText(limits.bundleBytes)}` }
      : { event: 'unreachable', why: `the bundle could not be fetched: ${sent.why}` }
  }
  const { status, body, headers } = sent
  // A 404 that names an address means that this is not the address of the service. It says nothing about the version.
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

/**
 * Second step of an update: checks the whole bundle, unpacks it beside the running version, and links its state paths
 * (3.3, I19, I20).
 */
export const staging: UpdateStep = async ({ folder, blueprint, attempt, stop, bundle }, { running, previous, to }) => {
  const { bytes } = bundle
  bundle.bytes = undefined
  if (!to || !bytes) return { event: 'dropped' }
  // The code that reads bundles takes memory that a process never gives back, so it is loaded only when it is needed.
  const { NotPlacedError, placeVersion } = await import('../../install/place.ts')
  const { sweepVersions } = await import('../../state/versions/folders.ts')
  try {
    sweepVersions(folder, [running.sha256, ...(previous ? [previous.sha256] : [])])
    const { sha256, version } = to
    await placeVersion(folder, { bytes, sha256, version, blueprint })
  } catch (error) {
    const why = messageOf(error)
    return { event: error instanceof NotPlacedError && error.verdict ? 'refused' : 'unreachable', why }
  }
  if (stop.aborted) return undefined
  return attempt().aborted ? { event: 'dropped' } : { event: 'done' }
}

/**
 * Third step of an update: one rename of the link `current` (I17). If the call fails, the link is read again, since the
 * rename may have worked although the sync after it failed.
 */
export const swapping: UpdateStep = async ({ folder, say, look }, { running, to }) => {
  if (!to) return { event: 'dropped' }
  try {
    linkCurrentTo(folder, to.sha256)
  } catch (error) {
    const why = messageOf(error)
    if (currentVersionFolder(folder) !== versionFolderName(to.sha256))
      return { event: 'unreachable', why: `it could not be put in place: ${why}` }
    say(`update ${running.version} -> ${to.version}: in place, but perhaps not after a power cut: ${why}`)
  }
  say(`update ${running.version} -> ${to.version}: in place, on proof`)
  look()
  return { event: 'done' }
}

/** The time between two tries to put the previous version back, if the disk refuses. */
const againSeconds = 60

/**
 * Last step of an update that is rolled back: makes `current` lead to the previous version again. If the disk refuses,
 * this is repeated until it succeeds. The outcome and the hold are already in the journal.
 */
export const undoing: UpdateStep = async ({ folder, stop, say, look }, { running, away }) => {
  for (;;) {
    try {
      if (currentVersionFolder(folder) !== versionFolderName(running.sha256)) linkCurrentTo(folder, running.sha256)
      say(`update ${away?.version ?? 'unknown'} -> ${running.version}: it is back`)
      look()
      return { event: 'done' }
    } catch (error) {
      say(`the version before could not be put back: ${messageOf(error)}`)
    }
    if (!(await wait(scaledMs(againSeconds), stop))) return undefined
  }
}
