/** The program `svc`. Built into `svc.pyz`, and run from source as `node packages/runtime/src/main.ts`. */
import { run } from './cli/program.ts'

void run(process.argv.slice(2))
