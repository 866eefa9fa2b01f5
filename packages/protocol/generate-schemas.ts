/** `node packages/protocol/generate-schemas.ts` writes docs/schemas from the schemas of the fields. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { schemas } from './src/index.ts'

const folder = new URL('../../docs/schemas/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [name, schema] of Object.entries(schemas)) {
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(schema, null, 2)}\n`)
}
