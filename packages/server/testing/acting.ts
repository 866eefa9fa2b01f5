/** A program for tests that kill it: sends an action slice by slice, then waits. Arguments: engine, address, action, time. */
import { openEmbedded, openPostgres } from '../src/platform/db/open.ts'
import { sendSlice } from '../src/updates/actions/runner.ts'

const [engine, address = '', id = '', now = ''] = process.argv.slice(2)
const store = engine === 'SQLite' ? openEmbedded(address) : openPostgres(address)
process.stdout.write('ready')
while ((await sendSlice(store.db, id, Number(now))) !== undefined);
process.stdout.write('done')
setInterval(() => {}, 1000)
