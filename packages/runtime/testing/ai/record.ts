/**
 * Records the files of the real tools for tests: `node packages/runtime/testing/ai/record.ts`. Each version of
 * tools.ts works for a minute with a model service on loopback. The lines are kept without paths, keys and long texts.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { startModelService } from './model-service.ts'
import { endDaemons, headless, untilItAsks } from './scenes.ts'
import { installed, type RealTool, realTools, type ToolHome, toolHome, versions } from './tools.ts'

const target = join(import.meta.dirname, 'recorded')
const only = process.argv.slice(2)
async function main(): Promise<void> {
  const service = await startModelService()
  for (const tool of realTools)
    for (const version of versions[tool]) {
      if (only.length > 0 && !only.includes(tool)) continue
      const bin = await installed(tool, version)
      const home = toolHome(tool, bin, service)
      try {
        await record(tool, version, bin, home)
      } finally {
        endDaemons(home)
        home.remove()
      }
    }
  await service.close()
}

async function record(tool: RealTool, version: string, bin: string, home: ToolHome): Promise<void> {
  await headless(home, tool, bin, 'prompt-mark good [[bash echo argument-mark]]')
  await headless(home, tool, bin, 'prompt-mark failed [[status 401]]')
  await headless(home, tool, bin, 'prompt-mark killed [[slow 30]]', { killAfter: 8 })
  const terminal = await untilItAsks(home, tool, bin, 'prompt-mark asks [[bash touch argument-mark]] [[ask]]')
  keep(home, join(target, `${tool}-${version}`))
  terminal.close()
}

function keep({ home, work }: ToolHome, folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const machine = readFileSync('/etc/machine-id', 'utf8').trim()
  const clean = (text: string) =>
    text
      .replaceAll(work, '/srv/folder-mark/harbour')
      .replaceAll(home, '/home/ada')
      .replaceAll(machine, 'machine')
      .replaceAll(hostname(), 'vela')
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^\.claude\/(projects\/.*\.jsonl|sessions\/\d+\.json)$|^\.codex\/sessions\/.*\.jsonl$/.test(name),
  )
  for (const name of files) {
    const lines = readFileSync(join(home, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    const kept = lines.map((line) => clean(JSON.stringify(shortened(JSON.parse(line)))))
    writeFileSync(join(folder, name.replace(/^.*\//, '').replace(/\.json$/, '.note')), `${kept.join('\n')}\n`)
  }
}

const longest = 80
/** Long texts are instructions of the tool, and say nothing about a session. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > longest && !value.includes('-mark') ? `${value.length} characters` : value
  if (Array.isArray(value)) return value.slice(0, 10).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => !dropped.has(key))
  return Object.fromEntries(entries.map(([key, inner]) => [key, shortened(inner)]))
}
const dropped: ReadonlySet<string> = new Set([
  ...['attachment', 'rendered', 'shape', 'params', 'state', 'base_instructions', 'thread_settings', 'snapshot'],
  ...['permission_profile', 'file_system_sandbox_policy', 'tools', 'messagingSocketPath'],
])

await main()
