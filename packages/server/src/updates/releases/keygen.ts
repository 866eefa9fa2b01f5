/**
 * Verifies a release signature as the runtimes do (3.5.3, D39): with `ssh-keygen`, if this machine has it. Without this
 * check, the service could serve a release that every runtime refuses and puts on hold.
 */
import { spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { clean, cut } from '@svc/protocol'
import { messageOf, systemReason } from '../../platform/errors.ts'

const keygenSeconds = 30
const namespace = 'svc-runtime'
const signer = 'svc-release'
const programFolders = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin', '/run/current-system/sw/bin']

type KeygenSays =
  | { is: 'good' }
  | { is: 'refused'; why: string }
  /** There is no ssh-keygen on this machine, or it cannot decide. */
  | { is: 'unable'; why: string }

/** Asks ssh-keygen about a signature. `keys` are the keys that may sign, each as type and base64. */
export async function askKeygen(
  bytes: Buffer,
  signature: Buffer,
  keys: readonly string[],
  program: string | undefined = sshKeygen(),
): Promise<KeygenSays> {
  if (program === undefined) return { is: 'unable', why: 'there is no ssh-keygen on this machine' }
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(tmpdir(), 'svc-signature-'))
    const [signers, file] = [join(folder, 'allowed_signers'), join(folder, 'svc.pyz.sig')]
    writeFileSync(signers, keys.map((key) => `${signer} namespaces="${namespace}" ${key}\n`).join(''))
    writeFileSync(file, signature)
    return await run(program, ['-Y', 'verify', '-f', signers, '-I', signer, '-n', namespace, '-s', file], bytes)
  } catch (error) {
    return {
      is: 'unable',
      why: `its files cannot be written to ${tmpdir()}: ${systemReason(error) ?? messageOf(error)}`,
    }
  } finally {
    if (folder !== undefined) remove(folder)
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Files that remain contain nothing secret, and the result is already known.
  }
}

/**
 * The absolute path of the first executable ssh-keygen in the usual places and the absolute folders of PATH; undefined
 * if there is none.
 */
const sshKeygen = (path = process.env.PATH ?? ''): string | undefined =>
  [...programFolders, ...path.split(delimiter)]
    .filter(isAbsolute)
    .map((folder) => join(folder, 'ssh-keygen'))
    .find(isExecutable)

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function run(program: string, args: string[], input: Buffer): Promise<KeygenSays> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'pipe', timeout: keygenSeconds * 1000, env: { LC_ALL: 'C' } })
    let said = ''
    const hear = (part: Buffer) => {
      said = (said + part).slice(0, 4096)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.stdin.on('error', () => {}) // `ssh-keygen` closes its input early if the signature is broken.
    child.once('error', (error) => resolve({ is: 'unable', why: `${program} cannot be run: ${error.message}` }))
    child.once('close', (code) => {
      const line = cut(clean(said.split('\n').find((one) => one.trim() !== '') ?? ''), 200)
      if (code === 0) resolve({ is: 'good' })
      else if (said.includes('Could not verify')) resolve({ is: 'refused', why: line })
      else resolve({ is: 'unable', why: `${program} could not verify it: ${line || `it ended with code ${code}`}` })
    })
    child.stdin.end(input)
  })
}
