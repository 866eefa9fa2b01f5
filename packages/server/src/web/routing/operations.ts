/**
 * Binds the operations of packages/api to the functions that carry them out, as routes of the page. A guard checks the
 * person's right when the request begins; a change checks it again in its transaction (I33). After a change, the
 * service notifies the open pages.
 */
import type { Operation, PageNotice, ParamsOf, Role, Route } from '@svc/api'
import { leftOffHeader } from '@svc/api/left-off'
import type { Verdict } from '@svc/protocol'
import type { Context, Hono } from 'hono'
import type { Trx } from '../../people/accounts/library.ts'
import type { Person } from '../../people/accounts/store.ts'
import type { Actor } from '../../people/audit/by.ts'
import type { MemberRights } from '../../people/workspaces/rights.ts'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import type { Live } from '../../platform/base.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import type { RunInTransaction } from '../../platform/db/transaction.ts'
import { granted, Refusal, type WebCode } from '../../platform/refusal.ts'
import { changeAsMember, changeAsPerson, memberWriter, type Requester } from './acting.ts'
import { applyReader, readInputBody } from './body.ts'
import { boundedAnswer, SlicedAnswer } from './bounded.ts'
import type { Deps } from './deps.ts'
import { type Guard, requireAdmin, requireAgent, requireSignedIn, type WebEnv } from './guards.ts'
import { type Bytes, sendJson } from './json.ts'
import { demandProof, needsProof } from './proof.ts'
import type { WebDeps } from './web-deps.ts'

/** The objects that the path of a route names, such as a workspace or an agent. */
export type RouteObjects<R> = (R extends `${string} /w/:slug${string}` ? { workspace: WorkspaceInfo } : unknown) &
  (R extends `${string}/agents/:name${string}` ? { agent: AgentRow } : unknown)

/** The dependencies of an operation that a person or the operator may start. */
export type OperationNeeds = Pick<Deps, 'store' | 'auth' | 'config' | 'live' | 'now' | 'hurrySweeper'> &
  Partial<Pick<Deps, 'log'>>

/** The arguments of a function that makes a change. Both `db` and `people.store.db` are the transaction. */
export type ChangeArguments<R, B extends Actor> = RouteObjects<R> & {
  db: Trx
  people: OperationNeeds
  by: B
  role: Role
  /** True if the person is an admin without an admin's rights, because the session has shown no second factor. */
  factorMissing: boolean
  now: number
  params: ParamsOf<R & string>
}
/** The arguments of a function that makes a change for a signed-in person. */
type PersonActing<R> = ChangeArguments<R, Person> & { session: { id: string } }
/**
 * The arguments of a function that makes its change in several transactions. Each call of `write` opens one of them and
 * checks the person's right in it.
 */
type LongChangeArguments<R> = Omit<ChangeArguments<R, Actor>, 'db'> & { write: RunInTransaction }

/** The arguments of a function that only reads for an operation. */
export type ReadArguments<R> = RouteObjects<R> & {
  deps: WebDeps
  who: Requester
  role: Role
  /** The rights of the person in the workspace of the address; undefined outside of workspaces. */
  rights: MemberRights | undefined
  now: number
  params: ParamsOf<R & string>
}

/**
 * The steps of a route after the transaction of a change was committed: further work, notifications, and the answer.
 */
type Afterwards<R, Given, Value> = {
  /**
   * Returns the ids of the agents about which open pages are notified; by default only the agent that the path names.
   */
  agents?(value: Value): readonly string[]
  /** Does further work that the change makes necessary, before the pages are notified. */
  continueWork?(deps: OperationNeeds, at: RouteObjects<R>, value: Value, now: number): Promise<void>
  /** Makes the answer of the route; by default it is the value that the change returned. */
  answer?(value: Value, looking: ReadArguments<R>): Given | Promise<Given>
  /** Returns false if the object that the operation creates existed already. The answer then has status 200. */
  made?(value: Value): boolean
}

type BoundRead = {
  operation: Operation
  read(looking: ReadArguments<Route>, input: unknown): Promise<unknown>
  /** True if the answer holds secrets, such as the links of invitations. It is never compressed (json.ts). */
  holdsSecrets?: true
}
/** An operation with the function that makes its change in one transaction. */
export interface BoundChange<R extends Route = Route, Value = unknown> extends Afterwards<R, unknown, Value> {
  operation: Operation<R>
  act(acting: ChangeArguments<R, Actor>, input: unknown): Promise<Verdict<Value, WebCode>>
}
/** An operation with the function that makes its change in several transactions. */
export interface BoundLongChange<R extends Route = Route, Value = unknown> extends Afterwards<R, unknown, Value> {
  operation: Operation<R>
  makeLongChange(acting: LongChangeArguments<R>, input: unknown): Promise<Verdict<Value, WebCode>>
}
type BoundForPeople = Afterwards<Route, unknown, unknown> & {
  operation: Operation
  actAsPerson(acting: PersonActing<Route>, input: unknown): Promise<Verdict<unknown, WebCode>>
}
export type BoundOperation = BoundRead | BoundChange | BoundLongChange | BoundForPeople

const utf8 = new TextEncoder()

const erase = <T>(bound: Record<string, unknown>): T => bound as T

/**
 * Binds an operation to the function that only reads for it. The function returns a value, the JSON of the answer
 * (`Bytes` or `SlicedAnswer`), or a `Response` that is sent as it is.
 */
export const bindReading = <R extends Route, Read, Sent, Given>(
  operation: Operation<R, Read, Sent, Given>,
  read: (looking: ReadArguments<R>, input: Read) => Promise<Given | Bytes | SlicedAnswer | Response>,
  more: Pick<BoundRead, 'holdsSecrets'> = {},
): BoundRead => erase({ operation, read, ...more })

/** Binds an operation to the function that makes its change, for a person or the operator. */
export const bindChange = <R extends Route, Read, Sent, Given, Value>(
  operation: Operation<R, Read, Sent, Given>,
  act: (acting: ChangeArguments<R, Actor>, input: Read) => Promise<Verdict<Value, WebCode>>,
  after: Afterwards<R, Given, Value> = {},
): BoundChange<R, Value> => erase({ operation, act, ...after })

/** Binds an operation to the function that makes its change, only for a person. */
export const bindPersonChange = <R extends Route, Read, Sent, Given, Value>(
  operation: Operation<R, Read, Sent, Given>,
  actAsPerson: (acting: PersonActing<R>, input: Read) => Promise<Verdict<Value, WebCode>>,
  after: Afterwards<R, Given, Value> = {},
): BoundForPeople => erase({ operation, actAsPerson, ...after })

/** Binds an operation to a function that makes its change in several transactions, for a person or the operator. */
export const bindLongChange = <R extends Route, Read, Sent, Given, Value>(
  operation: Operation<R, Read, Sent, Given>,
  makeLongChange: (acting: LongChangeArguments<R>, input: Read) => Promise<Verdict<Value, WebCode>>,
  after: Afterwards<R, Given, Value> = {},
): BoundLongChange<R, Value> => erase({ operation, makeLongChange, ...after })

/**
 * Adds the routes of all given operations below `/api/web`. The guard `requireMember` is not added here, because it
 * already protects every route of a workspace.
 */
export function mountOperations(app: Hono<WebEnv>, deps: WebDeps, all: readonly BoundOperation[]): void {
  for (const bound of all) {
    const { route } = bound.operation
    const [method = '', path = ''] = route.split(' ')
    app.on(method, [`/api/web${path}`], ...guardsOf(bound.operation, deps), (c) => answer(deps, c, bound))
  }
}

function guardsOf({ route, right, oldNames }: Operation, deps: WebDeps): Guard[] {
  if (right === 'anybody' || right === 'link')
    throw new Error(`${route} works without a session, so it needs a route of its own.`)
  return [
    ...(right === 'person' ? [requireSignedIn(deps)] : []),
    ...(right === 'admin' ? [requireAdmin] : []),
    ...(route.includes('/agents/:name') ? [requireAgent(deps, oldNames)] : []),
  ]
}

async function answer(deps: WebDeps, c: Context<WebEnv>, bound: BoundOperation): Promise<Response> {
  const { operation } = bound
  const input = await readInput(c, operation)
  const at = { workspace: c.var.workspace, agent: c.var.agent }
  const params = c.req.param()
  const { rights } = c.var
  if (needsProof(operation, input, { params, membership: rights?.membership }))
    await demandProof(deps, c.var, operation)
  const readArguments = () =>
    ({
      ...at,
      deps,
      who: { person: c.var.person, session: c.var.session },
      role: c.var.role,
      rights,
      now: deps.now(),
      params,
    }) as ReadArguments<Route>
  if ('read' in bound) {
    const given = await bound.read(readArguments(), input)
    if (given instanceof Response) return given
    if (given instanceof Uint8Array) return sendJson(c, given as Bytes)
    if (given instanceof SlicedAnswer) {
      sayLeftOff(c, given.leftOff)
      return sendJson(c, given.json)
    }
    const json = boundedFor(c, operation, given)
    return bound.holdsSecrets ? asJson(c, json) : sendJson(c, utf8.encode(json))
  }
  const value =
    'makeLongChange' in bound
      ? await runLongChange(deps, c, bound, input)
      : await inOneTransaction(deps, c, bound, input)
  await bound.continueWork?.(deps, at, value, deps.now())
  notifyPages(deps.live, operation, at, bound.agents?.(value))
  if (noticesOf(operation).includes('rights')) await deps.live.rightsChanged()
  const given = bound.answer ? await bound.answer(value, readArguments()) : value
  return asJson(c, boundedFor(c, operation, given), bound.made?.(value) === false ? 200 : operation.status)
}

/** The JSON of an answer: at most 1 MB unless the operation sends it whole. A header counts the omitted rows. */
function boundedFor(c: Context<WebEnv>, { large }: Operation, given: unknown): string {
  if (typeof large === 'object') return JSON.stringify(given)
  const { json, leftOff } = boundedAnswer(given, large === 'newest' ? 'last' : 'first')
  if (leftOff > 0 && large === 'refused') throw new Refusal('answer_too_large')
  sayLeftOff(c, leftOff)
  return json
}

function sayLeftOff(c: Context<WebEnv>, rows: number): void {
  if (rows > 0) c.header(leftOffHeader, String(rows))
}

const asJson = (c: Context<WebEnv>, json: string, status: 200 | 201 = 200): Response =>
  c.body(json, status, { 'content-type': 'application/json' })

function inOneTransaction(
  deps: WebDeps,
  c: Context<WebEnv>,
  bound: BoundChange | BoundForPeople,
  input: unknown,
): Promise<unknown> {
  const { operation } = bound
  const act = ('act' in bound ? bound.act : bound.actAsPerson) as BoundForPeople['actAsPerson']
  const at = { workspace: c.var.workspace, agent: c.var.agent, session: c.var.session, params: c.req.param() }
  if (operation.right === 'person')
    return changeAsPerson(deps, c.var, (context) =>
      act({ ...at, ...context, role: 'member', factorMissing: false } as PersonActing<Route>, input),
    )
  return changeAsMember(deps, c.var, roleFor(operation), (context) =>
    act({ ...at, ...context } as PersonActing<Route>, input),
  )
}

const roleFor = ({ right }: Operation): Role => (right === 'admin' ? 'admin' : 'member')

async function runLongChange(
  deps: WebDeps,
  c: Context<WebEnv>,
  { operation, makeLongChange }: BoundLongChange,
  input: unknown,
): Promise<unknown> {
  const { workspace, agent, person, role, rights } = c.var
  const write = memberWriter(deps, c.var, roleFor(operation))
  const context = {
    workspace,
    agent,
    params: c.req.param(),
    people: deps,
    by: person,
    role,
    factorMissing: rights?.factorMissing ?? false,
    now: deps.now(),
    write,
  }
  return granted(await makeLongChange(context as LongChangeArguments<Route>, input))
}

async function readInput(c: Context<WebEnv>, { route, input, maxBytes, mayBeEmpty }: Operation): Promise<unknown> {
  if (!input) return undefined
  if (mayBeEmpty && c.req.header('content-type') === undefined) return applyReader(input, {})
  if (!route.startsWith('GET ')) return readInputBody(c, input, maxBytes)
  return applyReader(input, c.req.query())
}

/** The notices that open pages get about a change of the operation. */
export const noticesOf = ({ change }: Operation): readonly PageNotice[] =>
  change === undefined || 'none' in change.pages ? [] : change.pages

/** Notifies open pages of a change, as the description of the operation in packages/api says. */
export function notifyPages(
  live: Live,
  operation: Operation,
  at: { workspace?: { id: string } | undefined; agent?: { id: string } | undefined },
  agents: readonly string[] = at.agent ? [at.agent.id] : [],
): void {
  const { workspace } = at
  if (!workspace) return
  for (const notice of noticesOf(operation)) {
    if (notice === 'list') live.listChanged(workspace.id)
    if (notice === 'alerts') live.alertsChanged(workspace.id)
    if (notice === 'report') for (const id of agents) live.reported(workspace.id, id)
    if (notice === 'agent') for (const id of agents) live.changed(workspace.id, id)
  }
}
