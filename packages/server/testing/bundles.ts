/** Makes real bundles for tests. They are packed from a folder, as `svc pack` does. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packFolder } from '@svc/blueprint'
import type { ChangeContext } from '../src/people/audit/by.ts'
import { uploadBlueprint } from '../src/updates/blueprints/upload.ts'

export interface BundleOptions {
  name?: string
  version?: string
  description?: string
  /**
   * The bindings that the manifest declares, each as `product:role:scopes`, such as
   * `tasks:editor:tasks.read,tasks.write`.
   */
  bindings?: string[]
  /** The names of the logs to declare in the manifest. The file of a log is `state/NAME.log`. */
  logs?: string[]
  secrets?: string
  /** The value of `needs` in the manifest, as YAML, such as `[restic]`. */
  needs?: string
  /** The settings of the manifest, as YAML. */
  settings?: string
  files?: Record<string, string | Uint8Array>
}

export const manifestText = ({
  name = 'mail',
  version = '1.0.0',
  description,
  bindings = [],
  settings,
  logs = [],
  secrets,
  needs,
}: BundleOptions) =>
  [
    `name: ${name}`,
    `version: ${version}`,
    ...(description ? [`description: ${description}`] : []),
    'runtime: {kind: process, command: [python3, main.py]}',
    'status: state/status.json',
    'controls: [pause, resume, run_now]',
    'state: [state]',
    ...(logs.length > 0 ? [`logs: [${logs.map((log) => `{name: ${log}, path: state/${log}.log}`).join(', ')}]`] : []),
    ...(secrets ? [`secrets: ${secrets}`] : []),
    ...(needs ? [`needs: ${needs}`] : []),
    ...(settings ? [`settings: ${settings}`] : []),
    ...(bindings.length > 0 ? [`bindings: [${bindings.map(bindingText).join(', ')}]`] : []),
    '',
  ].join('\n')

const bindingText = (text: string) => {
  const [product, role, scopes = ''] = text.split(':')
  return `{product: ${product}, role: ${role}, scopes: [${scopes}]}`
}

/** Makes a bundle and returns its bytes. */
export async function bundle(made: BundleOptions = {}): Promise<Uint8Array> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bundle-'))
  try {
    const files = { 'svc.agent.yaml': manifestText(made), 'main.py': 'print("works")\n', ...made.files }
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true })
      writeFileSync(join(dir, path), content)
    }
    const packed = await packFolder(dir)
    if (!packed.ok) throw new Error(packed.message)
    return packed.value.bytes
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Makes a bundle, uploads it to a workspace, and returns its bytes. */
export async function uploaded(
  { db, by, now }: ChangeContext<{ id: string | null; name: string }>,
  workspace: { id: string },
  made: BundleOptions = {},
): Promise<Uint8Array> {
  const bytes = await bundle(made)
  const upload = await uploadBlueprint({ db, by, now }, workspace, bytes)
  if (!upload.ok) throw new Error(upload.message)
  return bytes
}
