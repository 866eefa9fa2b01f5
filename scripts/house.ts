/**
 * Prints figures about the code; `npm run check` runs this, and no figure makes it fail. `node scripts/house.ts --all`
 * lists every place that is counted.
 */
import { figuresOf } from './house/figures.ts'
import { readSources } from './house/read.ts'

const all = process.argv.includes('--all')
for (const { name, found } of figuresOf(await readSources())) {
  console.log(`${String(found.length).padStart(6)} ${name}`)
  if (all) for (const line of found) console.log(`         ${line}`)
}
