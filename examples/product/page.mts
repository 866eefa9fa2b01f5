/** The product's page for people: the tasks of each workspace, the bots in it, and buttons to change them. */
import type { Answer } from './answers.mts'
import type { Member, Store, Task } from './store.mts'

export function page(store: Store): Answer {
  const all = [...store.members]
  const workspaces = new Map(all.map((m) => [m.workspace, m.workspaceName]))
  const sections = [...workspaces].map(([id, name]) => {
    const tasks = store.tasks.filter((t) => t.workspace === id)
    const bots = all.filter((m) => m.workspace === id).sort((a, b) => a.name.localeCompare(b.name))
    return section(name, tasks, bots)
  })
  const nobody = '<p>No bot has come here yet.</p>'
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
      'referrer-policy': 'same-origin',
    },
    body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5"><title>Tasks</title><style>${style}</style></head>
<body><main><h1>Tasks</h1>${sections.join('') || nobody}</main></body></html>
`,
  }
}

/** Carries out what a button on the page asks for. Returns false if there is no task or bot with that id. */
export function act(store: Store, path: string): boolean {
  const [, what, id = ''] = /^\/(done|reopen|remove|admit)\/([\w-]+)$/.exec(path) ?? []
  if (what === 'remove' || what === 'admit') return store.remove(id, what === 'remove')
  const task = store.tasks.find((t) => t.id === id)
  if (!task || !what) return false
  return store.change(task.workspace, id, { state: what === 'done' ? 'done' : 'open' }) !== undefined
}

function section(name: string, tasks: Task[], bots: Member[]): string {
  const open = tasks.filter((t) => t.state === 'open').sort((a, b) => b.opened - a.opened)
  const done = tasks.filter((t) => t.state === 'done').sort((a, b) => (b.closed ?? 0) - (a.closed ?? 0))
  return `<section><h2>${safe(name)}</h2>
<h3>Open (${open.length})</h3><ul>${open.map((t) => item(t, 'done', 'Done')).join('') || '<li>Nothing is to do.</li>'}</ul>
<h3>Done (${done.length})</h3><ul>${done
    .slice(0, 20)
    .map((t) => item(t, 'reopen', 'Open again'))
    .join('')}</ul>
<h3>Bots</h3><ul>${bots.map(botItem).join('')}</ul></section>`
}

const item = ({ id, title, detail, author, opened, closed }: Task, action: string, says: string) =>
  `<li><div><b>${safe(title)}</b>${detail && `<pre>${safe(detail)}</pre>`}<small>${safe(author.name)}, ${
    closed === null ? `opened ${moment(opened)}` : `done ${moment(closed)}`
  }</small></div>${button(`/${action}/${id}`, says)}</li>`

const botItem = ({ id, name, role, removed }: Member) =>
  `<li><div><b>${safe(name)}</b> <small>${safe(role)}${removed ? ', removed: its calls are answered 404' : ''}</small></div>${
    removed ? button(`/admit/${id}`, 'Let in again') : button(`/remove/${id}`, 'Remove')
  }</li>`

const button = (path: string, says: string) =>
  `<form method="post" action="${safe(path)}"><button>${says}</button></form>`
const moment = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
const safe = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0}main{max-width:46rem;margin:2rem auto;padding:0 1rem}
ul{list-style:none;padding:0}li{display:flex;gap:1rem;justify-content:space-between;align-items:start;padding:.5rem 0;border-top:1px solid #8884}
h3{margin-bottom:.25rem;font-size:1rem}pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}small{opacity:.75}`
