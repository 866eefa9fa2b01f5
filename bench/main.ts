/** `npm run bench -- NAME`: measurements, each against its limit in the same run. */
import { benchReport } from './report.ts'

const benches: Readonly<Record<string, (args: string[]) => Promise<void>>> = { report: benchReport }

const [name = '', ...args] = process.argv.slice(2)
const bench = benches[name]
if (!bench) {
  console.error(`Which measurement? One of: ${Object.keys(benches).join(', ')}. Such as: npm run bench -- report`)
  process.exit(2)
}
await bench(args)
