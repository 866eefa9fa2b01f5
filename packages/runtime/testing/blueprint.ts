/** Makes real bundles of a test blueprint, and lets the tests' service give out a bundle for an install code. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PackedBundle, packFolder } from '@svc/blueprint'
import { token } from './folder.ts'
import { json, type Service, unknownCode } from './service.ts'

export const code = `svc_inst_${'C'.repeat(43)}`
export const botToken = `svc_bot_${'D'.repeat(43)}`
/**
 * The program of the agent in these bundles; it has no dependencies. The manifest below names Node by its full path,
 * since the Node of the tests need not be in PATH.
 */
const worker = fileURLToPath(new URL('./worker.cjs', import.meta.url))

export const bundleManifest = `name: mail-triage
version: 1.4.0
description: Sorts incoming mail.
runtime:
  kind: process
  command: [${JSON.stringify(process.execPath)}, main.cjs]
  restart: always
  stop_seconds: 10
status: state/status.json
logs: [{name: work, path: state/work.log}]
controls: [pause, resume, run_now]
settings:
  - {key: every, label: Minutes, type: number, min: 1, max: 120, default: 10}
  - {key: dry, type: bool, default: false}
  - {key: note, type: text}
state: [state]
secrets:
  - {name: MAIL_PASSWORD, purpose: reads the mailbox}
  - {name: EXTRA_KEY, purpose: finds more, optional: true}
bindings: [{product: tasks, role: editor, scopes: [tasks.write]}]
`

/**
 * Packs a test blueprint into a bundle; `files` are added to its files or replace them. Unless replaced, `main.cjs`
 * runs the tests' agent.
 */
export async function bundle(files: Readonly<Record<string, string>> = {}): Promise<PackedBundle> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-blueprint-')))
  const all = {
    'svc.agent.yaml': bundleManifest,
    'main.cjs': `require(${JSON.stringify(worker)})\n`,
    'state/seed.json': '{"seed":true}\n',
    '.svcignore': '!state/seed.json\n',
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  const packed = await packFolder(root)
  rmSync(root, { recursive: true, force: true })
  if (!packed.ok) throw new Error(packed.message)
  return packed.value
}

export const previewOf = ({ manifest }: PackedBundle) => ({
  blueprint: manifest.name,
  version: manifest.version,
  description: manifest.description,
  agentName: 'mail-triage',
  runtime: manifest.runtime?.kind,
  secrets: manifest.secrets,
  bindings: manifest.bindings,
  needs: manifest.needs,
  settings: manifest.settings,
})
export const redeemedOf = ({ manifest, bytes, sha256 }: PackedBundle, productOrigin = 'http://127.0.0.1:9') => ({
  agent: { name: 'mail-triage' },
  blueprint: manifest.name,
  version: manifest.version,
  env: {
    SVC_TOKEN: token,
    ...Object.fromEntries(
      manifest.bindings.flatMap(({ product }) => [
        [`SVC_BINDING_${product.toUpperCase()}_URL`, productOrigin],
        [`SVC_BINDING_${product.toUpperCase()}_WORKSPACE`, 'ws-1'],
        [`SVC_BINDING_${product.toUpperCase()}_TOKEN`, botToken],
      ]),
    ),
  },
  bundle: Buffer.from(bytes).toString('base64'),
  sha256,
})

/** Makes the service answer the preview of an install code, and redeem the code once. */
export function handsOut(service: Service, packed: PackedBundle, productOrigin?: string): { redeemed: number } {
  const count = { redeemed: 0 }
  service.preview = json(previewOf(packed))
  service.install = (response, came, socket) => {
    count.redeemed++
    const reply = count.redeemed > 1 ? unknownCode : json(redeemedOf(packed, productOrigin))
    if (count.redeemed > 1) service.preview = unknownCode
    reply(response, came, socket)
  }
  return count
}
