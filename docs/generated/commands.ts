/** Makes the table of the commands of `svc-server` from the texts of their help. */
import { commandHelps } from '../../packages/server/src/service/cli/main.ts'
import { code, lines, table } from './table.ts'

type Explained = readonly [name: string, says: string]

/** Arguments that many commands explain in the same words. They are explained once, before the table. */
const shared: readonly Explained[] = (() => {
  const uses = new Map<string, { explained: Explained; count: number }>()
  for (const { args = [] } of Object.values(commandHelps))
    for (const explained of args) {
      const count = (uses.get(explained.join())?.count ?? 0) + 1
      uses.set(explained.join(), { explained, count })
    }
  return [...uses.values()].filter(({ count }) => count > 5).map(({ explained }) => explained)
})()
const isShared = (one: Explained) => shared.some(([name, says]) => name === one[0] && says === one[1])
const explain = ([name, says]: Explained) => `${code(name)}: ${says}`

export const commandArguments = () => shared.map((one) => `- ${explain(one)}`).join('\n')

export const commandTable = () =>
  table(
    ['command', 'what it does', 'arguments and options'],
    Object.entries(commandHelps).map(([name, { says, args = [], options = [] }]) => [
      code([name, ...args.map(([argument]) => argument)].join(' ')),
      says,
      lines([...args.filter((one) => !isShared(one)), ...options].map(explain)),
    ]),
  )
