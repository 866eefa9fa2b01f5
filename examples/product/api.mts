/**
 * The calls that bots make to the product. For each call the product checks, in this order, that the token is valid,
 * that the bot is in that workspace, and that the bot's scopes and role permit the call.
 */
import { type Answer, json, refuse } from './answers.mts'
import type { Change, Store, Task, TaskState, Wanted } from './store.mts'
import type { Ask, Bot } from './tokens.mts'

export interface Call {
  method: string
  path: string
  query: URLSearchParams
  authorization: string | undefined
  body: string
}
export interface Deps {
  store: Store
  ask: Ask
  say: (line: string) => void
}

const place = /^\/api\/v1\/workspaces\/([^/]+)(?:\/(tasks)(?:\/([^/]+))?)?$/

export async function api(call: Call, deps: Deps): Promise<Answer> {
  const [, id, tasks, task] = place.exec(call.path) ?? []
  if (id === undefined) return refuse('not_found')
  const token = /^Bearer +([\w.~+/-]{1,500}=*) *$/i.exec(call.authorization ?? '')?.[1]
  const found = token === undefined ? ({ is: 'refused' } as const) : await deps.ask(token)
  if (found.is === 'refused') return refuse('token_unknown')
  if (found.is === 'unasked') {
    deps.say(`a token could not be checked: ${found.why}`)
    return refuse('service_away')
  }
  const { bot } = found
  if (bot.workspace !== decoded(id) || !deps.store.admit(bot)) return refuse('not_found')
  const scope = call.method === 'GET' ? 'tasks.read' : 'tasks.write'
  if (!bot.scopes.has(scope)) return refuse('scope_missing', `The token's scopes do not have ${scope}.`)
  if (call.method !== 'GET' && bot.role !== 'editor') return refuse('scope_missing', 'Only the role editor may write.')

  const what = `${call.method} ${tasks ? (task === undefined ? 'tasks' : 'task') : 'workspace'}`
  if (what === 'GET workspace') return json(200, workspace(bot, deps.store))
  if (what === 'GET tasks') return json(200, { tasks: list(bot, deps.store, call.query).map(shown) })
  if (what === 'POST tasks') return open(bot, deps.store, call.body)
  if (what === 'PATCH task') return change(bot, deps.store, decoded(task ?? ''), call.body)
  return refuse('not_found')
}

function workspace(bot: Bot, store: Store) {
  const tasks = store.tasks.filter((t) => t.workspace === bot.workspace)
  const open = tasks.filter((t) => t.state === 'open').length
  return { id: bot.workspace, name: bot.workspaceName, tasks: { open, done: tasks.length - open } }
}

/**
 * Lists the tasks of the bot's workspace. The query `state=open|done` or `mine=true` (opened by this bot) limits the
 * list.
 */
function list(bot: Bot, store: Store, query: URLSearchParams): Task[] {
  const state = query.get('state')
  return store.tasks.filter(
    (t) =>
      t.workspace === bot.workspace &&
      (state === null || t.state === state) &&
      (query.get('mine') !== 'true' || t.author.id === bot.id),
  )
}

function open(bot: Bot, store: Store, body: string): Answer {
  const wanted = readWanted(parsed(body))
  if (!wanted) return refuse('body_invalid', 'A task is {"title": text, "detail"?: text, "key"?: text}.')
  const opened = store.open(bot, wanted)
  return opened ? json(opened.made ? 201 : 200, shown(opened.task)) : refuse('too_many')
}

function change(bot: Bot, store: Store, id: string, body: string): Answer {
  const wanted = readChange(parsed(body))
  if (!wanted)
    return refuse('body_invalid', 'A change is {"state"?: "open" or "done", "title"?: text, "detail"?: text}.')
  const task = store.change(bot.workspace, id, wanted)
  return task ? json(200, shown(task)) : refuse('not_found')
}

const shown = ({ id, key, title, detail, state, author, opened, closed }: Task) => ({
  ...{ id, key, title, detail, state, author: author.name, opened, closed },
})

function readWanted(v: Record<string, unknown> | undefined): Wanted | undefined {
  const title = v && text(v.title, 200)
  if (!v || !title) return undefined
  const [key, detail] = [v.key == null ? null : text(v.key, 200), v.detail == null ? '' : text(v.detail, 2000)]
  return key === undefined || detail === undefined ? undefined : { key, title, detail }
}

function readChange(v: Record<string, unknown> | undefined): Change | undefined {
  if (!v) return undefined
  const change: Change = {}
  for (const [name, max] of [
    ['title', 200],
    ['detail', 2000],
  ] as const) {
    if (v[name] == null) continue
    const given = text(v[name], max)
    if (given === undefined || (name === 'title' && given === '')) return undefined
    change[name] = given
  }
  if (v.state != null && !isState(v.state)) return undefined
  return v.state == null ? change : { ...change, state: v.state }
}

const isState = (v: unknown): v is TaskState => v === 'open' || v === 'done'
/** Reads a text from a call and cuts it at its maximum length; undefined if the value is not a text. */
const text = (v: unknown, max: number) =>
  typeof v === 'string' ? [...v.toWellFormed().trim()].slice(0, max).join('') : undefined

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
