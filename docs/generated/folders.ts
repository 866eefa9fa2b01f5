/** The tables of the folders of a package, from the top layer to the lowest. */
import { type Order, orders } from '../../scripts/house/layers.ts'
import { code, table } from './table.ts'

/**
 * Returns the table of the folders of a package: if the package is divided into wings, a table of the wings, then one
 * for each wing. Throws if scripts/house/layers.ts does not list that package.
 */
export function folderTable(part: string): string {
  const order = orders[part]
  if (!order) throw new Error(`scripts/house/layers.ts has no order for "${part}".`)
  if (!order.wings) return placeTable(`packages/${part}/src/`, order.layers)
  const all = table(
    [`in \`packages/${part}/src/\``, 'is'],
    order.wings.map(({ name, says }) => [code(`${name}/`), says]),
  )
  return [all, ...order.wings.map(({ name, layers }) => placeTable(`${name}/`, layers, name))].join('\n\n')
}

function placeTable(title: string, layers: Order['layers'], wing?: string): string {
  const inWing = (place: string) => (place === wing ? '(directly in it)' : code(named(place.slice(`${wing}/`.length))))
  return table(
    [`in \`${title}\``, 'is'],
    layers.flatMap((places) =>
      Object.entries(places).map(([place, text]) => [wing === undefined ? code(named(place)) : inWing(place), text]),
    ),
  )
}

const named = (place: string): string => (place.includes('.') ? place : `${place}/`)
