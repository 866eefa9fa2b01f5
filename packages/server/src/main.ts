/** `svc-server`, see operator/main.ts. */
import { main } from './operator/main.ts'

process.exitCode = await main(process.argv.slice(2))
