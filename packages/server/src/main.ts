/**
 * Starts `svc-server` (service/cli/main.ts), after it has installed handlers of signals and enabled a cache of compiled
 * code.
 */
import { enableCompileCache } from 'node:module'
import { endAtEarlySignals } from './platform/early-signals.ts'
import { compiledFolder, readEarlyArguments } from './platform/installed.ts'

const args = process.argv.slice(2)
if (readEarlyArguments(args).words[0] === 'start') endAtEarlySignals()
const compiled = compiledFolder(args)
if (compiled !== undefined) enableCompileCache(compiled)
const { main } = await import('./service/cli/main.ts')
process.exitCode = await main(args)
