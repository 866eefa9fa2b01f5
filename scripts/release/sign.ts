/** Signs files with OpenSSH, and verifies signatures as every runtime does (3.5.3, D39). */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ReleaseError, whyOf } from './keys.ts'

/** The purpose of a signature: for `svc.pyz` itself, or for the checksums of the files of a release. */
export type SignatureUse = 'svc-runtime' | 'svc-release-sums'
const signer = 'svc-release'

/**
 * Makes a signature of exactly the bytes of `file`. If a passphrase or a touch is needed, `ssh-keygen` or the ssh agent
 * asks for it.
 */
export function sign(file: string, keyFile: string, use: SignatureUse = 'svc-runtime'): Buffer {
  const { stdout, status } = keygen(['-q', '-Y', 'sign', '-f', keyFile, '-n', use], file, 'inherit')
  if (status !== 0 || stdout.length === 0)
    throw new ReleaseError(`ssh-keygen did not sign with ${keyFile}; what it said stands above.`)
  return stdout
}

/** Throws unless one of these keys made the signature, for this use. */
export function verify(
  file: string,
  signature: Buffer,
  keys: readonly string[],
  use: SignatureUse = 'svc-runtime',
): void {
  const dir = mkdtempSync(join(tmpdir(), 'svc-verify-'))
  try {
    const [allowed, sig] = [join(dir, 'allowed_signers'), join(dir, 'signature')]
    writeFileSync(allowed, keys.map((key) => `${signer} namespaces="${use}" ${key}\n`).join(''))
    writeFileSync(sig, signature)
    const args = ['-Y', 'verify', '-f', allowed, '-I', signer, '-n', use, '-s', sig]
    const { status, stderr } = keygen(args, file, 'pipe')
    if (status !== 0) {
      const why = stderr.toString().trim().split('\n')[0] || 'it is not by a key that is built in'
      throw new ReleaseError(`The signature just made is not accepted: ${why}`)
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function keygen(args: string[], inputFile: string, errors: 'inherit' | 'pipe') {
  const input = openSync(inputFile, 'r')
  try {
    const done = spawnSync('ssh-keygen', args, { stdio: [input, 'pipe', errors] })
    if (done.error) throw new ReleaseError(`It cannot be signed: ${whyOf(done.error)}.`)
    return done
  } finally {
    closeSync(input)
  }
}
