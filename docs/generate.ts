/** `npx node docs/generate.ts` updates the generated parts of the documents. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parts, withParts } from './generated/parts.ts'

const root = new URL('..', import.meta.url)
for (const [page, made] of Object.entries(parts)) {
  const file = new URL(page, root)
  writeFileSync(file, withParts(readFileSync(file, 'utf8'), made))
}
