/** A built runtime in a folder: `svc.pyz` with `svc.pyz.sha256` and, when it was signed, `svc.pyz.sig`. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { type FileRead, readFile } from '@svc/blueprint/read-file'
import { isVersion, limits, runtimeVersion, shown, type Verdict } from '@svc/protocol'
import { askKeygen } from './keygen.ts'
import { judgeSignature } from './signature.ts'

export interface RuntimeBuild {
  bytes: Buffer
  /** The SHA-256 of the bytes, in hex. */
  sha256: string
  version: string
  signed: boolean
  /** The contents of the signature file; undefined if the build was not signed. */
  signature: Buffer | undefined
  /** The key that signed the build, as type and base64; undefined if it was not signed. */
  signer: string | undefined
  /** True if Node verified the signature. Signatures of some keys can only be verified by `ssh-keygen`. */
  verified: boolean
  /** Remarks that a person should read before the build is served. */
  remarks: string[]
}

/** A remark about unsigned builds (3.5.3). */
const unsignedSays = 'It is not signed: it can be downloaded and installed, but no runtime updates itself to it.'

const archive = 'svc.pyz'
/** The maximum size of a signature in bytes (D39). */
const maxSignature = 8 * 1024

/**
 * The facts about the release served before a build. They decide whether its runtimes update themselves to the build.
 */
interface ServedBefore {
  version: string
  sha256: string
  signed: boolean
  file: Buffer
}

/** True if runtimes of the release served before have release keys, but not the key that signed this build. */
export function hasUnknownSigner(build: RuntimeBuild, before: ServedBefore | undefined): boolean {
  const keys = (before && noteOf(before.file)?.keys) ?? []
  return build.signer !== undefined && keys.length > 0 && !keys.includes(build.signer)
}

/** Remarks about runtimes of the release served before that will not update themselves to this build. */
export function unknownSignerRemarks(build: RuntimeBuild, before: ServedBefore | undefined): string[] {
  if (!before || build.signer === undefined || build.sha256 === before.sha256) return []
  const { version } = before
  const byHand = 'replace the file on each of these machines by hand (docs/operator.md, Runtime releases)'
  if (hasUnknownSigner(build, before))
    return [`Runtimes of release ${version} do not know the key that signed it, and will refuse it.`]
  if (noteOf(before.file)?.keys?.length === 0)
    return [`Runtimes of release ${version} have no release key and trust no file: ${byHand}.`]
  return version === build.version && !before.signed
    ? [`Runtimes that run the unsigned build of ${version} count as up to date: give this build a newer version.`]
    : []
}

/**
 * Reads and judges the build in a folder; undefined if the folder has no `svc.pyz`. The signature is verified as the
 * runtimes verify it.
 */
export async function readBuild(
  dir: string,
  keygen: typeof askKeygen = askKeygen,
): Promise<Verdict<RuntimeBuild, 'build_refused'> | undefined> {
  const file = join(dir, archive)
  const read = readFiles(file)
  if (read === undefined) return undefined
  if (!read.ok || read.value.signature === undefined || read.value.signer === undefined) return read
  const { bytes, signature, signer, verified } = read.value
  const says = await keygen(bytes, signature, [signer])
  if (says.is === 'refused')
    return refusedBuild(`${file}.sig: every runtime would refuse it, as ssh-keygen does: ${says.why}`)
  if (says.is === 'good' || verified) return read
  return refusedBuild(
    `${file}.sig: the service cannot verify this type of key without ssh-keygen: ${says.why}. ${keygenHint}`,
  )
}

const keygenHint =
  'Install OpenSSH where the service runs (on Debian the package openssh-client, for a container in an image of your own that begins FROM this one), or sign with a key of the type ssh-ed25519, ssh-rsa or ecdsa-sha2-nistp256.'

function readFiles(file: string): Verdict<RuntimeBuild, 'build_refused'> | undefined {
  const build = readFile(file, limits.runtimeBytes)
  if (build.is === 'missing') return undefined
  const [sum, signature] = ['.sha256', '.sig'].map((end) => readFile(file + end, maxSmallFileBytes)) as [
    FileRead,
    FileRead,
  ]
  if (build.is === 'unreadable') return refusedBuild(`${file} ${build.why}.`)
  // A signature that cannot be read must not count as missing, because the build would then be served as unsigned.
  if (sum.is === 'unreadable') return refusedBuild(`${file}.sha256 ${sum.why}.`)
  if (signature.is === 'unreadable') return refusedBuild(`${file}.sig ${signature.why}.`)
  const bytesOf = (read: FileRead) => (read.is === 'bytes' ? read.bytes : undefined)
  return judgeBuild(file, build.bytes, bytesOf(sum)?.toString('latin1'), bytesOf(signature))
}

/** The maximum size of the files beside a build. */
const maxSmallFileBytes = 64 * 1024

/** Judges a build. `sum` and `signature` are the contents of the files beside it; undefined when a file is missing. */
export function judgeBuild(
  file: string,
  bytes: Buffer,
  sum: string | undefined,
  signature: Buffer | undefined,
): Verdict<RuntimeBuild, 'build_refused'> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const note = noteOf(bytes)
  if (!note)
    return refusedBuild(`${file} is not a build of the runtime: its archive has no release.json with a version.`)
  const { version } = note
  if (!isVersion(version) || !runtimeVersion.test(version))
    return refusedBuild(
      `The version of a release must be a semantic version of at most 64 characters without "+": ${file} says ${shown(version)}.`,
    )
  if (sum !== undefined && sum.trim().split(/\s/)[0] !== sha256)
    return refusedBuild(`${file}.sha256 does not match: the file has ${sha256}.`)
  if (signature && signature.length > maxSignature)
    return refusedBuild(`${file}.sig may have at most 8 KB: it has ${signature.length} bytes.`)
  const judged = signature && judgeSignature(signature, bytes, note.keys)
  if (judged && !judged.ok) return refusedBuild(`${file}.sig: ${judged.message}`)
  const { signer, verified = false } = judged?.value ?? {}
  const remarks = judged ? [] : [unsignedSays]
  const signed = signature !== undefined
  return { ok: true, value: { bytes, sha256, version, signed, signature, signer, verified, remarks } }
}

const refusedBuild = (message: string) => ({ ok: false, code: 'build_refused', message }) as const

/**
 * The facts that a build of `svc.pyz` states about itself, in the file `release.json` of its archive. They are read
 * without running the build.
 */
interface ReleaseNote {
  version: string
  /** The public keys whose signatures the built runtime accepts; undefined if the build does not name them. */
  keys: string[] | undefined
}

const endRecord = { mark: 0x06054b50, bytes: 22 } as const
const centralHeader = { mark: 0x02014b50, bytes: 46 } as const
const localHeader = { mark: 0x04034b50, bytes: 30 } as const
const maxUnpackedBytes = 64 * 1024

/**
 * Reads `release.json` from the archive; undefined if the bytes are not an archive with that file. Offsets in the
 * archive count from the start of the bytes.
 */
function noteOf(bytes: Buffer): ReleaseNote | undefined {
  try {
    const text = memberOf(bytes, 'release.json')
    const { version, keys } = JSON.parse(text ?? '{}') as { version?: unknown; keys?: unknown }
    if (typeof version !== 'string') return undefined
    return { version, keys: Array.isArray(keys) ? keys.map(String) : undefined }
  } catch {
    return undefined // The file is cut short, or is of another kind.
  }
}

function memberOf(bytes: Buffer, name: string): string | undefined {
  const tail = bytes.length - endRecord.bytes
  if (bytes.readUInt32LE(tail) !== endRecord.mark) return undefined
  let at = bytes.readUInt32LE(tail + 16)
  for (let left = bytes.readUInt16LE(tail + 10); left > 0 && bytes.readUInt32LE(at) === centralHeader.mark; left--) {
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field)) as number[]
    const from = at + centralHeader.bytes
    if (bytes.toString('utf8', from, from + (nameLength ?? 0)) === name) return contentOf(bytes, at)
    at = from + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return undefined
}

function contentOf(bytes: Buffer, at: number): string | undefined {
  const method = bytes.readUInt16LE(at + 10)
  const packed = bytes.readUInt32LE(at + 20)
  const header = bytes.readUInt32LE(at + 42)
  if (bytes.readUInt32LE(header) !== localHeader.mark) return undefined
  const from = header + localHeader.bytes + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28)
  const content = bytes.subarray(from, from + packed)
  return (method === 0 ? content : inflateRawSync(content, { maxOutputLength: maxUnpackedBytes })).toString('utf8')
}
