/** Starts `svc-server` (service/cli/main.ts), with handlers of signals first, and a cache of compiled code. */
import { enableCompileCache } from 'node:module'
import { endAtEarlySignals } from './platform/early-signals.ts'
import { compiledFolder } from './platform/installed.ts'

if (process.argv.includes('start')) endAtEarlySignals()
const compiled = compiledFolder(process.argv)
if (compiled !== undefined) enableCompileCache(compiled)
const { main } = await import('./service/cli/main.ts')
process.exitCode = await main(process.argv.slice(2))
