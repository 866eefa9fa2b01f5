/**
 * `npm run test:ai` drives the real Claude Code, Codex and opencode (`*.ai.test.ts`) in a terminal, with a model on
 * loopback. It installs them into a cache outside of the checkout. What cannot be installed is printed as NOT TESTED.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { cacheFolder, programOf, realTools } from '../packages/runtime/testing/ai/tools.ts'

const root = join(import.meta.dirname, '..')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const args = ['run', '--project', 'ai', '--reporter=verbose', ...process.argv.slice(2)]
// The tools are installed here, because the tests have an environment of their own, in which nothing can be installed.
for (const tool of realTools) await programOf(tool)
const env = { ...process.env, SVC_TEST_AI_TOOLS: cacheFolder }
const child = spawn(process.execPath, [vitest, ...args], { cwd: root, env, stdio: 'inherit' })
const [code] = (await once(child, 'exit')) as [number | null]
process.exitCode = code ?? 1
