/**
 * Starts `svc-server` (service/cli/main.ts). Before that it enables a cache of compiled code and, for the command
 * `start`, installs handlers of signals.
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
