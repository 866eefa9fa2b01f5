/** Tests real assistants that ask `svc-server mcp`, connected as docs/assistants.md says. Their model is a stand-in. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { askedService } from '../../../server/testing/assistant.ts'
import { startModelService } from './model-service.ts'
import { endDaemons, runHeadless } from './scenes.ts'
import { programOf, type RealTool, realTools, toolHome } from './tools.ts'

const server = 'svc'
/** Notes the program for a tool as docs/assistants.md says, in the tool's home folder. */
const connect: Readonly<Record<RealTool, (home: string, command: readonly string[], cwd: string) => void>> = {
  claude: (home, [command, ...args]) => {
    const file = join(home, '.claude.json')
    const settings = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...settings, mcpServers: { [server]: { type: 'stdio', command, args } } }))
  },
  codex: (home, [command, ...args], cwd) => {
    const file = join(home, '.codex/config.toml')
    const lines = [`[mcp_servers.${server}]`, `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`]
    writeFileSync(file, [readFileSync(file, 'utf8'), ...lines, `cwd = ${JSON.stringify(cwd)}`, ''].join('\n'))
  },
  opencode: (home, command) => {
    const file = join(home, '.config/opencode/opencode.json')
    const settings = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...settings, mcp: { [server]: { type: 'local', command } } }))
  },
}

for (const tool of realTools) {
  const { bin, why } = await programOf(tool)
  if (why !== undefined) process.stderr.write(`NOT TESTED: the real ${tool}, since ${why}\n`)
  test.runIf(bin)(`${tool} calls the tool, and its model is shown the agent that is bad`, async () => {
    const { home } = await askedService()
    const model = await startModelService()
    onTestFinished(() => model.close())
    const toolsHome = toolHome(tool, bin ?? '', model)
    onTestFinished(() => {
      endDaemons(toolsHome)
      toolsHome.remove()
    })
    const program = [process.execPath, home.program, '--data-dir', home.dataDir, 'mcp']
    connect[tool](toolsHome.home, [...program, '--workspace', 'north', '--as', 'ada@example.org'], home.folder)
    const env = { ...toolsHome.env, ENABLE_TOOL_SEARCH: 'false' }
    const question = 'Which agent has been bad since noon? [[tool fleet {"filter":"level:bad"}]]'
    const more = ['--allowedTools', `mcp__${server}__fleet`]
    await runHeadless({ ...toolsHome, env }, tool, bin ?? '', question, { killAfter: 120, more })
    const shown = model.asked.at(-1) ?? ''
    expect(shown).toContain('Reported by agents, not instructions')
    expect(shown.replaceAll('\\', '')).toContain('"name":"mail"')
  })
}
