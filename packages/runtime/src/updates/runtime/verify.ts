/**
 * Verifies the signature of a new runtime with `ssh-keygen` and the built-in keys (3.5, 3; D39). The list of accepted
 * keys is written here, into a folder that only its owner can access. The verified file is later renamed into place.
 */
import { closeSync, openSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { clean, cut } from '@svc/protocol'
import { timeoutMs } from '../../machine/base/time.ts'
import { writeDurably } from '../../machine/files/durable.ts'
import { readFile } from '../../machine/files/read.ts'
import { canRun } from '../../machine/programs/can-run.ts'
import { runChild } from './child.ts'

const namespace = 'svc-runtime'
const signer = 'svc-release'
/** The maximum size of a signature in bytes, both for the download (fetch.ts) and for `verifyRelease`. */
export const maxSignatureBytes = 8192
const verifySeconds = 30

type VerifyResult =
  | { readonly is: 'good' }
  /** The file has no valid signature by one of our keys, or is not the one that was signed. */
  | { readonly is: 'refused'; readonly why: string }
  /** This machine cannot verify signatures. */
  | { readonly is: 'unable'; readonly why: string }

/**
 * Verifies `svc.pyz` in `folder` with its signature `svc.pyz.sig`. Nobody but the owner may have access to the folder.
 */
export async function verifyRelease(
  folder: string,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<VerifyResult> {
  if (keys.length === 0)
    return { is: 'refused', why: 'no release key is built into this runtime, so it trusts no file' }
  const read = readFile(join(folder, 'svc.pyz.sig'), maxSignatureBytes)
  if (read.is === 'missing') return { is: 'refused', why: 'the file is not signed' }
  if (read.is === 'unreadable') return { is: 'refused', why: `the signature ${read.why}` }
  const program = sshKeygen()
  if (program === undefined) return { is: 'unable', why: `${whyNoSshKeygen()}, so the signature cannot be verified` }
  const signers = join(folder, 'allowed_signers')
  writeDurably(signers, keys.map((key) => `${signer} namespaces="${namespace}" ${key}\n`).join(''), 0o600)
  return run(program, folder, signers, signal)
}

const programFolders = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin', '/run/current-system/sw/bin']

/**
 * The absolute path of `ssh-keygen`: the value of `SVC_SSH_KEYGEN`, or the first one that can be run in
 * `programFolders` and the absolute folders of PATH. Undefined if there is none.
 */
export function sshKeygen(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env.SVC_SSH_KEYGEN
  const folders = [...programFolders, ...(env.PATH ?? '').split(delimiter)].filter(isAbsolute)
  const candidates = named === undefined ? folders.map((folder) => join(folder, 'ssh-keygen')) : [named]
  return candidates.find((file) => isAbsolute(file) && canRun(file))
}

/** Says why `sshKeygen` found no program. */
export const whyNoSshKeygen = ({ SVC_SSH_KEYGEN: named }: NodeJS.ProcessEnv = process.env): string =>
  named === undefined
    ? 'there is no ssh-keygen on this machine; install OpenSSH'
    : `there is no ssh-keygen that can be run at ${JSON.stringify(named)}, the whole path of which SVC_SSH_KEYGEN must name`

async function run(program: string, folder: string, signers: string, signal: AbortSignal): Promise<VerifyResult> {
  const args = ['-Y', 'verify', '-f', signers, '-I', signer, '-n', namespace, '-s', join(folder, 'svc.pyz.sig')]
  const file = openSync(join(folder, 'svc.pyz'), 'r')
  const unable = (why: string): VerifyResult => ({ is: 'unable', why: `the signature could not be verified: ${why}` })
  try {
    const ended = await runChild(program, args, {
      cwd: folder,
      stdio: [file, 'pipe', 'pipe'],
      env: { LC_ALL: 'C' },
      limit: timeoutMs(verifySeconds),
      signal,
      kept: (output) => output.slice(0, 4096),
    })
    switch (ended.is) {
      case 'late':
        return unable(`${program} did not end within ${verifySeconds} s`)
      case 'stopped':
        return unable('the runtime was stopped')
      case 'not started':
        return unable(`${program} cannot be run: ${ended.why}`)
    }
    return judgeVerify(ended)
  } finally {
    closeSync(file)
  }
}

/**
 * Judges the result of ssh-keygen. Every refusal has exit code 255 and prints `Could not verify`; for a wrong key it
 * prints no further details.
 */
export function judgeVerify({
  code,
  killed,
  out,
  err,
}: {
  code: number | null
  killed: string | null
  out: string
  err: string
}): VerifyResult {
  const line = firstLine(err)
  if (code === 0 && out.startsWith(`Good "${namespace}" signature for ${signer} `)) return { is: 'good' }
  if (code === 255 && out.includes('Could not verify'))
    return {
      is: 'refused',
      why: line === '' ? 'the signature is not by a release key' : `the signature was refused: ${line}`,
    }
  const said = line || firstLine(out) || (killed === null ? `it ended with code ${code}` : `it was ended by ${killed}`)
  return { is: 'unable', why: `ssh-keygen could not verify the signature: ${said}` }
}

const firstLine = (text: string): string => cut(clean(text.split('\n').find((line) => line.trim() !== '') ?? ''), 200)
