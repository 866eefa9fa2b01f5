/**
 * Makes a small workspace for tests: it is activated and has an admin, and an agent with its token. Only the clock is
 * simulated.
 */
import type { Store } from '../src/platform/db/open.ts'
import { newId } from '../src/platform/ids.ts'
import { hashToken, newToken } from '../src/platform/tokens.ts'

export interface TestWorkspace {
  store: Store
  clock: Clock
  workspace: { id: string; slug: string; name: string }
  /**
   * The admin of the workspace. The admin has no password, because the tests of the routes for people make their own
   * people.
   */
  admin: { id: string; name: string; email: string }
  agent: TestAgent
  /** Adds an agent to the workspace. */
  addAgent: (name: string) => Promise<TestAgent>
}
export interface TestAgent {
  id: string
  name: string
  token: string
  workspaceId: string
}

/** A simulated clock. Its time advances only when the test calls `pass`. */
export interface Clock {
  now: () => number
  /** Advances the clock by this many seconds. */
  pass: (seconds: number) => void
}

export const testStart = Date.UTC(2026, 10, 21, 12)

export function newClock(start: number = testStart): Clock {
  let at = start
  return {
    now: () => at,
    pass: (seconds) => {
      at += seconds * 1000
    },
  }
}

/**
 * Makes a workspace for tests. With `people` false, the admin has no account, so that one store can hold several of
 * these workspaces.
 */
export async function newTestWorkspace(
  store: Store,
  { slug = 'north', activated = true, people = true } = {},
): Promise<TestWorkspace> {
  const clock = newClock()
  const workspace = await addWorkspace(store, slug, activated, clock.now())
  const admin = people
    ? await addPerson(store, 'Ada', workspace.id, 'admin', clock.now())
    : { id: 'nobody', name: 'Ada', email: 'ada@example.org' }
  const addAgentTo = (name: string) => addAgent(store, workspace.id, name, clock.now())
  return { store, clock, workspace, admin, agent: await addAgentTo('mail-triage'), addAgent: addAgentTo }
}

export async function addWorkspace(store: Store, slug: string, activated: boolean, now: number) {
  const workspace = { id: newId(now), slug, name: slug[0]?.toUpperCase() + slug.slice(1) }
  const created = { createdAt: new Date(now) }
  await insertForeign(store, 'workspace', { ...workspace, ...created })
  if (activated) {
    await store.db
      .insertInto('workspace_product')
      .values({ workspace_id: workspace.id, product_id: 'svc', activated_at: now })
      .execute()
  }
  return workspace
}

export async function addPerson(
  store: Store,
  name: string,
  workspaceId: string,
  role: 'admin' | 'member',
  now: number,
  email = `${name.toLowerCase()}@example.org`,
) {
  const person = { id: newId(now), name, email }
  const moment = new Date(now)
  await insertForeign(store, 'user', { ...person, emailVerified: true, createdAt: moment, updatedAt: moment })
  await addToWorkspace(store, { workspaceId, userId: person.id, role }, now)
  return person
}

/** Makes somebody who has an account a member of a further workspace. */
export const addToWorkspace = (
  store: Store,
  member: { workspaceId: string; userId: string; role: 'admin' | 'member' },
  now: number,
): Promise<void> => insertForeign(store, 'member', { id: newId(now), ...member, createdAt: new Date(now) })

export async function addAgent(store: Store, workspaceId: string, name: string, now: number): Promise<TestAgent> {
  const token = newToken('agent')
  const id = newId(now)
  await store.db
    .insertInto('agent')
    .values({
      id,
      workspace_id: workspaceId,
      name,
      token_hash: hashToken(token),
      created_at: now,
      created_by: null,
      blueprint: null,
    })
    .execute()
  return { id, name, token, workspaceId }
}

/** Inserts a row into a table of the accounts library. Our types do not describe the columns of these tables. */
async function insertForeign(store: Store, table: 'workspace' | 'user' | 'member', values: object): Promise<void> {
  await store.db
    .insertInto(table)
    .values(values as never)
    .execute()
}
