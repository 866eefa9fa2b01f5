/** Stores the tasks and the bots in one JSON file. Nobody sees a change before it is completely on disk. */
import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Bot } from './tokens.mts'

export interface Task {
  id: string
  workspace: string
  /**
   * A key that the task's author chose, by which it finds the task again. An author has at most one open task for each
   * key.
   */
  key: string | null
  title: string
  detail: string
  state: TaskState
  /** The bot that opened the task. */
  author: { id: string; name: string }
  /** When the task was opened, in Unix seconds. */
  opened: number
  closed: number | null
}
export type TaskState = 'open' | 'done'
export type Wanted = Pick<Task, 'key' | 'title' | 'detail'>
export type Change = Partial<Pick<Task, 'title' | 'detail' | 'state'>>
export interface Member {
  id: string
  name: string
  role: string
  workspace: string
  workspaceName: string
  /** True if a person removed the bot from the workspace, on the page of this product. */
  removed: boolean
}
interface Content {
  members: Member[]
  tasks: Task[]
}

export const limits = { open: 1000, done: 1000 }

export class Store {
  readonly #file: string
  readonly #now: () => number
  #content: Content

  /**
   * Loads the JSON file if it exists. Throws if it exists and cannot be read, so that a later change does not overwrite
   * it. `now` returns Unix seconds.
   */
  constructor(file: string, now: () => number = () => Math.floor(Date.now() / 1000)) {
    this.#file = file
    this.#now = now
    this.#content = load(file)
  }

  get members(): readonly Member[] {
    return this.#content.members
  }

  get tasks(): readonly Task[] {
    return this.#content.tasks
  }

  /**
   * Makes a bot with a valid token a member of its workspace at its first call. Returns false if a person has removed
   * the bot.
   */
  admit({ id, name, role, workspace, workspaceName }: Bot): boolean {
    const member = this.#content.members.find((m) => m.id === id && m.workspace === workspace)
    if (member?.removed) return false
    if (member?.name === name && member.role === role && member.workspaceName === workspaceName) return true
    const others = this.#content.members.filter((m) => m !== member)
    this.#save({ members: [...others, { id, name, role, workspace, workspaceName, removed: false }] })
    return true
  }

  /** Removes a bot from its workspace, or admits it again. Returns false if there is no such bot. */
  remove(id: string, removed: boolean): boolean {
    if (!this.#content.members.some((m) => m.id === id)) return false
    this.#save({ members: this.#content.members.map((m) => (m.id === id ? { ...m, removed } : m)) })
    return true
  }

  /**
   * Opens a task. If its author already has an open task with the same key, returns that task, so that a call whose
   * answer was lost can be repeated. Returns undefined if the workspace has too many open tasks.
   */
  open({ id, name, workspace }: Bot, { key, title, detail }: Wanted): { task: Task; made: boolean } | undefined {
    const open = this.#content.tasks.filter((t) => t.workspace === workspace && t.state === 'open')
    const same = open.find((t) => key !== null && t.key === key && t.author.id === id)
    if (same) return { task: same, made: false }
    if (open.length >= limits.open) return undefined
    const about = { key, title, detail, state: 'open', author: { id, name } } as const
    const task: Task = { id: randomUUID(), workspace, ...about, opened: this.#now(), closed: null }
    this.#save({ tasks: [...this.#content.tasks, task] })
    return { task, made: true }
  }

  /** Changes a task and returns it; undefined if the workspace has no such task. */
  change(workspace: string, id: string, change: Change): Task | undefined {
    const task = this.#content.tasks.find((t) => t.id === id && t.workspace === workspace)
    if (!task) return undefined
    const state = change.state ?? task.state
    const closed = state === 'open' ? null : (task.closed ?? this.#now())
    const changed: Task = { ...task, ...change, state, closed }
    this.#save({ tasks: this.#content.tasks.map((t) => (t === task ? changed : t)) })
    return changed
  }

  /**
   * Saves a change: writes a new file, syncs it, renames it and syncs the folder. The copy in memory changes only after
   * that.
   */
  #save(change: Partial<Content>): void {
    const next = { ...this.#content, ...change }
    next.tasks = withoutOldest(next.tasks)
    const temporary = `${this.#file}.new`
    const fd = openSync(temporary, 'w', 0o600)
    try {
      writeFileSync(fd, `${JSON.stringify(next, null, 1)}\n`)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, this.#file)
    sync(dirname(this.#file))
    this.#content = next
  }
}

/** Removes the tasks that were closed longest ago if there are too many closed ones. All open tasks are kept. */
function withoutOldest(tasks: Task[]): Task[] {
  const done = tasks.filter((t) => t.state === 'done')
  if (done.length <= limits.done) return tasks
  const gone = new Set(done.sort((a, b) => (a.closed ?? 0) - (b.closed ?? 0)).slice(0, done.length - limits.done))
  return tasks.filter((t) => !gone.has(t))
}

function load(file: string): Content {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { members: [], tasks: [] }
    throw error
  }
  const content: unknown = JSON.parse(text)
  if (isContent(content)) return content
  throw new Error(`${file} is not a file of this task list`)
}

const isContent = (v: unknown): v is Content =>
  typeof v === 'object' &&
  v !== null &&
  'members' in v &&
  Array.isArray(v.members) &&
  'tasks' in v &&
  Array.isArray(v.tasks)

function sync(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
