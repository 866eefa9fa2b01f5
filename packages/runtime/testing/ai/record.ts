/**
 * Records the files of the real tools for tests: `node packages/runtime/testing/ai/record.ts`. Each version of
 * tools.ts works for a minute with a model service on loopback. The lines are kept without paths, keys and long texts.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startModelService } from './model-service.ts'
import { endDaemons, runHeadless, untilItAsks } from './scenes.ts'
import { installTool, type RealTool, realTools, type ToolHome, toolHome, versions } from './tools.ts'

const target = join(import.meta.dirname, 'recorded')
const only = process.argv.slice(2)
async function main(): Promise<void> {
  const service = await startModelService()
  for (const tool of realTools)
    for (const version of versions[tool]) {
      if (only.length > 0 && !only.includes(tool)) continue
      const bin = await installTool(tool, version)
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
  await runHeadless(home, tool, bin, 'prompt-mark good [[bash echo argument-mark]]')
  await runHeadless(home, tool, bin, 'prompt-mark failed [[status 401]]')
  await runHeadless(home, tool, bin, 'prompt-mark killed [[slow 60]]', { killAfter: 25 })
  const folder = join(target, `${tool}-${version}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // opencode does not note that it asks the person a question.
  if (tool === 'opencode') return keepDatabase(home, folder)
  const terminal = await untilItAsks(home, tool, bin, 'prompt-mark asks [[bash touch argument-mark]] [[ask]]')
  keepFiles(home, folder)
  terminal.close()
}

/** Returns the function that takes the names of this machine out of a text. */
function cleanerFor({ home, work }: ToolHome): (text: string) => string {
  const machine = readFileSync('/etc/machine-id', 'utf8').trim()
  return (text) =>
    text
      .replaceAll(work, '/srv/folder-mark/harbour')
      .replaceAll(home, '/home/ada')
      .replaceAll(machine, 'machine')
      .replaceAll(hostname(), 'vela')
}

function keepFiles(toolHome: ToolHome, folder: string): void {
  const clean = cleanerFor(toolHome)
  const { home } = toolHome
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^\.claude\/(projects\/.*\.jsonl|sessions\/\d+\.json)$|^\.codex\/sessions\/.*\.jsonl$/.test(name),
  )
  for (const name of files) {
    const lines = readFileSync(join(home, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    const kept = lines.map((line) => clean(JSON.stringify(shortenTexts(JSON.parse(line)))))
    writeFileSync(join(folder, name.replace(/^.*\//, '').replace(/\.json$/, '.note')), `${kept.join('\n')}\n`)
  }
}

/** Keeps the tables of a database and their rows, a line for each. Titles are replaced: they repeat prompts. */
function keepDatabase(toolHome: ToolHome, folder: string): void {
  const clean = cleanerFor(toolHome)
  const database = new DatabaseSync(join(toolHome.home, '.local/share/opencode/opencode.db'), { readOnly: true })
  const lines = ['session', 'message', 'part'].flatMap((table) => {
    const { sql } = database.prepare('select sql from sqlite_schema where name = ?').get(table) ?? {}
    const rows = database.prepare(`select * from ${table} order by rowid`).all()
    return [{ sql }, ...rows.map((row) => ({ table, row: { ...row, ...('title' in row && { title: 'title-mark' }) } }))]
  })
  database.close()
  writeFileSync(join(folder, 'rows.jsonl'), `${lines.map((line) => clean(JSON.stringify(line))).join('\n')}\n`)
}

const longest = 80
/** Shortens long texts and lists, and leaves `dropped` fields out. Long texts are only instructions of the tool. */
function shortenTexts(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > longest && !value.includes('-mark') ? `${value.length} characters` : value
  if (Array.isArray(value)) return value.slice(0, 10).map(shortenTexts)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => !dropped.has(key))
  return Object.fromEntries(entries.map(([key, inner]) => [key, shortenTexts(inner)]))
}
const dropped: ReadonlySet<string> = new Set([
  ...['attachment', 'rendered', 'shape', 'params', 'state', 'base_instructions', 'thread_settings', 'snapshot'],
  ...['permission_profile', 'file_system_sandbox_policy', 'tools', 'messagingSocketPath'],
])

await main()
