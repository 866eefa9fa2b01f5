/**
 * `npm run test:machines` runs the tests that start containers and boot whole machines (`*.machine.test.ts`). They need
 * root and a container engine; where these are missing, the output says what to install. The first run makes the
 * images, which takes some minutes. Arguments filter file names: `npm run test:machines -- units`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { build } from './build.ts'

const root = join(import.meta.dirname, '..')
const startedAt = performance.now()
await build()
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const args = ['run', '--project', 'machine', '--reporter=verbose', '--passWithNoTests', ...process.argv.slice(2)]
const child = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit' })
const [code] = (await once(child, 'exit')) as [number | null]
console.log(`test:machines took ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`)
process.exitCode = code ?? 1
