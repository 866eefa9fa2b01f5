/**
 * For tests: makes the workspace `north` with the blueprint `mail`, and installs agents of it with codes, as an
 * operator and a machine would.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundles.ts'
import type { ServiceHome } from './service-process.ts'

/** Makes the workspace `north`, activates it, and uploads the versions 1.0.0 and 1.1.0 of the blueprint `mail`. */
export async function twoVersions(home: ServiceHome): Promise<void> {
  await home.value(['workspace', 'create', 'north'])
  await home.value(['workspace', 'activate', 'north', 'svc'])
  for (const version of ['1.0.0', '1.1.0']) {
    const file = join(home.folder, `${version}.zip`)
    writeFileSync(file, await bundle({ version }))
    await home.value(['blueprint', 'upload', 'north', file])
  }
}

/** Installs an agent of `mail` 1.0.0 with this name and returns its token. */
export async function installed(home: ServiceHome, name: string): Promise<string> {
  const { code } = await home.value<{ code: string }>(['code', 'issue', 'north', 'mail@1.0.0', '--agent', name])
  const body = JSON.stringify({ code })
  const redeemed = await fetch(`${home.url}/api/agent/v1/install`, { method: 'POST', body })
  return ((await redeemed.json()) as { env: { SVC_TOKEN: string } }).env.SVC_TOKEN
}
