import type pg from 'pg'
import { expect, test } from 'vitest'
import { announcer, type NodeMessage } from './announce.ts'

/** Makes the announcements of `calls`, and returns the messages that the announcer sends for them. */
async function said(calls: (to: ReturnType<typeof announcer>) => void) {
  const texts: string[] = []
  const pool = {
    query: async (_: string, [, all]: [string, string[]]) => void texts.push(...all),
  } as unknown as pg.Pool
  const announcing = announcer(pool, { node: 'a node' })
  calls(announcing)
  await announcing.close()
  return { texts, messages: texts.map((text) => JSON.parse(text) as NodeMessage) }
}
const ids = (count: number) => Array.from({ length: count }, (_, i) => String(i).padStart(36, 'x'))
const agentsOf = (messages: readonly NodeMessage[]) => messages.map((one) => ('agents' in one ? one.agents : []))

test.each([
  [1, [1]],
  [150, [150]],
  [151, [150, 1]],
  [301, [150, 150, 1]],
])(
  'changes of %i agents are announced in messages of %j agents, none longer than PostgreSQL allows',
  async (count, sizes) => {
    const { texts, messages } = await said((to) => {
      for (const id of ids(count)) to.changed('w', id)
    })
    expect(agentsOf(messages).map(({ length }) => length)).toEqual(sizes)
    expect(agentsOf(messages).flat()).toEqual(ids(count))
    expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThan(8000)
  },
)

test('a change of the whole list names no agent', async () => {
  const { messages } = await said((to) => to.listChanged('w'))
  expect(messages).toMatchObject([{ kind: 'l', workspace: 'w', agents: [] }])
})

test.each([
  [0, [0]],
  [150, [150]],
  [400, [100, 150, 150]],
])('%i watched agents are announced in messages of %j, of which all but the first add to it', async (count, sizes) => {
  const { texts, messages } = await said((to) => to.watched(ids(count)))
  expect(agentsOf(messages).map(({ length }) => length)).toEqual(sizes)
  expect(new Set(agentsOf(messages).flat())).toEqual(new Set(ids(count)))
  expect(messages.map((one) => one.kind === 'w' && one.adds === true)).toEqual(sizes.map((_, i) => i > 0))
  expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThan(8000)
})

test('only the last of the sets of watched agents that change within a moment is announced', async () => {
  const { messages } = await said((to) => {
    for (let count = 1; count <= 3; count++) to.watched(ids(count))
  })
  expect(agentsOf(messages)).toEqual([ids(3)])
})
