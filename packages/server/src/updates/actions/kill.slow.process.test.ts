/** `npm test` leaves this out. packages/server/src/updates/actions/actions.store.test.ts proves the same rules. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { offering } from '../../../testing/service.ts'
import { newPostgresDatabase, newSqliteFile } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { openEmbedded, openPostgres } from '../../platform/db/open.ts'
import { actionPage } from '../../web/queries/actions.ts'
import { finishAction } from './runner.ts'
import { startAction } from './store.ts'

const program = fileURLToPath(new URL('../../../testing/acting.ts', import.meta.url))
const agents = 5_000
const kills = 20
const rowsAtOnce = 500

const engines = [
  ['SQLite', newSqliteFile, openEmbedded],
  ['PostgreSQL', newPostgresDatabase, openPostgres],
] as const

test.each(engines)(
  'twenty kills lose no command of an action, and double none (%s)',
  async (engine, make, open) => {
    const address = await make()
    const store = open(address)
    onTestFinished(() => store.close())
    const w = await newTestWorkspace(store)
    await reporting(w).report(offering)
    const { db } = store
    const one = await db.selectFrom('agent').selectAll().where('id', '=', w.agent.id).executeTakeFirstOrThrow()
    const report = await db.selectFrom('agent_report').selectAll().executeTakeFirstOrThrow()
    const names = Array.from({ length: agents }, (_, i) => `a-${i}`)
    for (let i = 0; i < agents; i += rowsAtOnce) {
      const piece = names.slice(i, i + rowsAtOnce)
      const made = piece.map((name) => ({ ...one, id: `id-${name}`, name, token_hash: name }))
      await db.insertInto('agent').values(made).execute()
      const reports = piece.map((name) => ({ ...report, agent_id: `id-${name}` }))
      await db.insertInto('agent_report').values(reports).execute()
    }
    const ctx = { db, by: w.admin, now: w.clock.now() }
    const started = await startAction(ctx, w.workspace, { type: 'pause', agents: names })
    if (!started.ok) throw new Error(started.message)
    const { id } = started.value

    const args = [program, engine, address, id, String(w.clock.now())]
    for (let kill = 0; kill < kills; kill++) {
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      // The moment differs from kill to kill, so that it falls into different steps of a slice.
      await wait((kill % 5) * 4)
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await finishAction({ store, live: { changed: () => {}, listChanged: () => {} } as never, now: w.clock.now }, id)
    const commands = await db.selectFrom('command').select('agent_id').where('agent_id', 'like', 'id-%').execute()
    expect(new Set(commands.map(({ agent_id }) => agent_id)).size).toBe(agents)
    expect(commands).toHaveLength(agents)
    expect((await actionPage(db, w.workspace, id))?.counts).toMatchObject({ waiting: agents })
  },
  300_000,
)
