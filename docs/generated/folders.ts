/** The table of the folders of a package, from the top layer to the lowest. */
import { orders } from '../../scripts/house/layers.ts'
import { code, table } from './table.ts'

/** Returns the table of the folders of a package. Throws if scripts/house/layers.ts does not list that package. */
export function folderTable(part: string): string {
  const order = orders[part]
  if (!order) throw new Error(`scripts/house/layers.ts has no order for "${part}".`)
  const rows = order.layers.flatMap((places) => Object.entries(places))
  return table(
    [`in \`packages/${part}/src/\``, 'is'],
    rows.map(([place, text]) => [code(place.includes('.') ? place : `${place}/`), text]),
  )
}
