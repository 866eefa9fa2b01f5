/**
 * `npm start` builds what is missing or out of date, and then runs the service in this same process, so that signals
 * reach it directly. docs/operator.md describes the options, such as `npm start -- --port 9000`, and docs/operate.md
 * the variables of a `.env` file.
 */
import { build } from './build.ts'

await build()
const { main } = await import('../packages/server/src/service/cli/main.ts')
process.exitCode = await main(['start', ...process.argv.slice(2)])
