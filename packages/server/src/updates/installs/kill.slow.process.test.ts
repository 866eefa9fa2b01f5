/**
 * Tests that a service which is killed while codes are redeemed uses up exactly those whose agents exist. `npm test`
 * leaves this out. packages/server/src/updates/installs/redeem.store.test.ts proves the same rules.
 */
import { mkdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import { installing } from '../../../testing/installing.ts'
import { newServiceHome } from '../../../testing/service-process.ts'
import { accountTables } from '../../people/accounts/auth.ts'
import { databaseFile } from '../../platform/data-folder.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { openEmbedded } from '../../platform/db/open.ts'
import { issueCodes } from './issue.ts'

const rounds = byLevel(2, 2, 25)
const perRound = 40

test('a service that is killed while codes are redeemed has used up exactly those whose agents exist (I13)', async () => {
  const home = await newServiceHome({ SVC_TRUSTED_PROXIES: '127.0.0.1,::1' })
  mkdirSync(home.dataDir, { mode: 0o700 })
  const file = databaseFile(home.dataDir)
  const first = openEmbedded(file)
  await migrate(first, accountTables(first))
  const w = await installing(first)
  await w.upload({ bindings: ['tasks:editor:tasks.write'] })
  await w.upload({ version: '1.1.0', files: { 'data.bin': Buffer.alloc(200_000, 7) } })
  await first.close()

  for (let round = 0; round < rounds; round++) {
    // A workspace may have ten bots, so only one code has a binding in each of the first ten rounds, and none later.
    const codes = await during(file, async ({ db }) => {
      const issued = Array.from({ length: perRound }, (_, i) => {
        const version = i === 0 && round < 10 ? '1.0.0' : '1.1.0'
        return issueCodes({ db, by: operator, now: Date.now() }, w.workspace, {
          blueprint: 'mail',
          version,
          agentName: `r${round}-${i}`,
        })
      })
      return (await Promise.all(issued)).map((one) => (one.ok ? one.value[0].code : ''))
    })
    const service = await home.start()
    const answers = codes.map((code, i) => redeem(home.url, code, i))
    await settled(answers, 1 + Math.floor(Math.random() * (perRound - 10)))
    await service.kill('SIGKILL')
    const got = await Promise.all(answers)
    await during(file, async ({ db }) => {
      const rows = await db
        .selectFrom('install_code')
        .leftJoin('agent', 'agent.id', 'install_code.agent_id')
        .select(['agent_name', 'redeemed_at', 'agent.id', 'bindings'])
        .where('agent_name', 'like', `r${round}-%`)
        .execute()
      const agents = await db.selectFrom('agent').select('name').where('name', 'like', `r${round}-%`).execute()
      const tokens = await db.selectFrom('bot_token').select('agent_id').execute()
      const spent = rows.filter(({ redeemed_at }) => redeemed_at !== null)
      expect(spent.map(({ agent_name }) => agent_name).sort()).toEqual(agents.map(({ name }) => name).sort())
      for (const { id, bindings } of spent) {
        expect(tokens.filter(({ agent_id }) => agent_id === id)).toHaveLength(JSON.parse(bindings).length)
      }
      const names = new Set(spent.map(({ agent_name }) => agent_name))
      const answered = got.filter((name) => name !== undefined)
      for (const name of answered) expect(names).toContain(name)
      expect(answered.length).toBeGreaterThan(0)
    })
  }
})

const operator = { id: null, name: 'operator' }

/** Redeems a code, and returns the agent's name if the whole answer arrived; otherwise undefined. */
async function redeem(url: string, code: string, i: number): Promise<string | undefined> {
  try {
    const headers = { 'x-forwarded-for': `198.51.100.${i}` }
    const answer = await fetch(`${url}/api/agent/v1/install`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ code }),
    })
    const body = (await answer.json()) as { agent: { name: string } }
    return answer.status === 200 ? body.agent.name : undefined
  } catch {
    return undefined
  }
}

/** Resolves when `count` of the promises have resolved. */
function settled(all: readonly Promise<unknown>[], count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let done = 0
    for (const one of all) one.then(() => ++done === count && resolve(), reject)
  })
}

/** Opens the database while no service runs. */
async function during<T>(file: string, work: (store: ReturnType<typeof openEmbedded>) => Promise<T>): Promise<T> {
  const store = openEmbedded(file)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
