/** Starts `svc-server` (service/cli/main.ts), with a cache of compiled code. */
import { enableCompileCache } from 'node:module'
import { compiledFolder } from './platform/installed.ts'

const compiled = compiledFolder(process.argv)
if (compiled !== undefined) enableCompileCache(compiled)
const { main } = await import('./service/cli/main.ts')
process.exitCode = await main(process.argv.slice(2))
