/** The tables of the folders of a package, from the top layer to the lowest. */
import { orders } from '../../scripts/house/layers.ts'
import type { Order } from '../../scripts/house/order.ts'
import { code, table } from './table.ts'

/**
 * Returns the table of the folders of a package. If the package is divided into wings, this is a table of the wings and
 * of the files beside them, and then a table for each wing with more than one folder. Throws if scripts/house/layers.ts
 * does not list that package.
 */
export function folderTable(part: string): string {
  const order = orders[part]
  if (!order) throw new Error(`scripts/house/layers.ts has no order for "${part}".`)
  if (!order.wings) return placeTable(`packages/${part}/src/`, order.layers)
  const beside = order.layers.flatMap((places) => Object.entries(places).filter(([place]) => !place.includes('/')))
  const files = beside.filter(([place]) => place.includes('.'))
  const all = table(
    [`in \`packages/${part}/src/\``, 'is'],
    [
      ...order.wings.map(({ name, says }) => [code(`${name}/`), says]),
      ...files.map(([place, text]) => [code(place), text]),
    ],
  )
  const divided = order.wings.filter(({ layers }) => layers.flatMap(Object.keys).length > 1)
  return [all, ...divided.map(({ name, layers }) => placeTable(`${name}/`, layers, name))].join('\n\n')
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
