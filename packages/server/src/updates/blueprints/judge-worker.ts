/** The worker thread that judge.ts starts: it takes one bundle at a time and answers with a judgement. */
import { readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { macNote, neededSvc, neededSvcText, readBundle } from '@svc/blueprint'
import type { Judgement } from './judge.ts'
import type { ArrivedBundle } from './uploads.ts'

parentPort?.on('message', (bundle: Uint8Array | ArrivedBundle) => void answer(bundle))

/** Judges a bundle and sends the result to the main thread. An error ends this thread, which judge.ts notices. */
async function answer(bundle: Uint8Array | ArrivedBundle): Promise<void> {
  const bytes = bundle instanceof Uint8Array ? bundle : bytesOf(bundle)
  const judged = await judge(bytes)
  parentPort?.postMessage(judged, judged.ok ? [bytes.buffer as ArrayBuffer] : [])
}

async function judge(bytes: Uint8Array): Promise<Judgement> {
  const read = await readBundle(bytes)
  if (!read.ok) return { ok: false, message: read.message, findings: read.findings }
  const { manifest, sha256, entries } = read.value
  const { name, version, description = '' } = manifest
  const files = JSON.stringify(entries.map(({ path, size, executable }) => ({ path, size, executable })))
  const needed = neededSvc(manifest)
  const kept = { name, version, description, sha256, manifest: JSON.stringify(manifest), files, bytes }
  const mac = macNote(entries)
  const note = mac === undefined ? undefined : `The bundle ${mac}.`
  return { ok: true, value: { ...kept, ...(needed && { neededSvc: neededSvcText(needed) }), ...(note && { note }) } }
}

function bytesOf({ fd, size }: ArrivedBundle): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; ) {
    const read = readSync(fd, bytes, at, size - at, at)
    if (read === 0) throw new Error(`The file of the upload ends after ${at} of ${size} bytes.`)
    at += read
  }
  return bytes
}
