/**
 * Makes small runtime builds for tests: a zip with a `release.json`, signed by a real OpenSSH key if the test asks for
 * it.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipArchive } from '@svc/blueprint/zip'
import { onTestFinished } from 'vitest'
import { judgeBuild, type RuntimeBuild } from '../src/updates/releases/build.ts'

export interface Key {
  /** The path of the file with the private key. */
  file: string
  /** The public key as type and base64, which is how a build lists the keys that it accepts. */
  line: string
}

/** The bytes of a runtime build. Another `salt` gives other bytes for the same version. */
export function pyz(version: string, { salt = '', keys }: { salt?: string; keys?: string[] } = {}): Buffer {
  const member = (name: string, text: string) => ({ name, content: Buffer.from(text) })
  const note = JSON.stringify({ version, built: 0, leastNode: 20, ...(keys && { keys }) })
  const head = Buffer.from(`#!/usr/bin/env node\nconsole.log(${JSON.stringify(version)})\n//`)
  return Buffer.concat([head, zipArchive([member('release.json', note), member('salt', salt)], head.length)])
}

/** Makes an OpenSSH key of this type in a temporary folder. */
export function newKey(type: 'ed25519' | 'ecdsa' | 'rsa' = 'ed25519'): Key {
  const dir = temporary()
  const file = join(dir, 'key')
  // RSA keys of tests are shorter than ssh-keygen's default, because making a key of that length takes a second.
  const bits = type === 'rsa' ? ['-b', '2048'] : []
  execFileSync('ssh-keygen', ['-q', '-t', type, ...bits, '-N', '', '-C', 'a test', '-f', file])
  const [kind, blob] = readFileSync(`${file}.pub`, 'utf8').split(' ')
  return { file, line: `${kind} ${blob}` }
}

export const signed = (bytes: Buffer, { file }: Key, namespace = 'svc-runtime'): Buffer =>
  execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', file, '-n', namespace], { input: bytes, stdio: 'pipe' })

/** A runtime build, as the service has it after it has read and judged the files of a release. */
export function buildOf(version: string, { salt, key }: { salt?: string; key?: Key } = {}): RuntimeBuild {
  const bytes = pyz(version, { ...(salt !== undefined && { salt }), ...(key && { keys: [key.line] }) })
  const judged = judgeBuild('svc.pyz', bytes, undefined, key && signed(bytes, key))
  if (!judged.ok) throw new Error(judged.message)
  return judged.value
}

/** Writes the files of a runtime build into a folder, and returns the folder. */
export function buildFolder(bytes: Buffer, signature?: Buffer, folder = temporary()): string {
  mkdirSync(folder, { recursive: true })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  writeFileSync(join(folder, 'svc.pyz'), bytes)
  writeFileSync(join(folder, 'svc.pyz.sha256'), `${sha256} svc.pyz\n`)
  rmSync(join(folder, 'svc.pyz.sig'), { force: true })
  if (signature) writeFileSync(join(folder, 'svc.pyz.sig'), signature)
  return folder
}

function temporary(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-release-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
