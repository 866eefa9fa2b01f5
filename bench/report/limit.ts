/**
 * The limit server T does only the work that no server can avoid: bare node:http, JSON.parse, and one transaction per
 * turn of the event loop. It writes the same rows as the service (the last report, its runs), settles acks and claims
 * queued commands. It checks no fields, has no rules and knows no limits. `limit.ts FILE L` starts server L, which only
 * stores the last report.
 */
import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { fleetSize, tokenOf } from '../common/fleet.ts'

const db = new DatabaseSync(process.argv[2] ?? '')
db.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 4000; pragma cache_size = -262144;
  create table agent_report (agent integer primary key, received integer not null, body text not null);
  create table run (agent integer not null, id text not null, body text not null, unique (agent, id));
  create table command (id integer primary key, agent integer not null, state text not null, payload text not null);
  create index command_waiting on command (agent) where state = 'waiting'`)
const agents = new Map<string, number>()
const hash = (token: string) => createHash('sha256').update(token).digest('hex')
for (let agent = 0; agent < fleetSize; agent++) agents.set(hash(tokenOf(agent)), agent)

const begin = db.prepare('begin immediate')
const commit = db.prepare('commit')
const putReport = db.prepare(
  'insert into agent_report values (?, ?, ?) on conflict do update set received = excluded.received, body = excluded.body',
)
const putRun = db.prepare(
  'insert into run values (?, ?, ?) on conflict do update set body = excluded.body where body is not excluded.body',
)
const settle = db.prepare("update command set state = 'answered' where id = ? and agent = ? and state = 'delivered'")
const claim = db.prepare(
  "update command set state = 'delivered' where agent = ? and state = 'waiting' returning id, payload",
)

interface HeldReport {
  agent: number
  text: string
  report: { runs?: { id: string }[]; acks?: { id: number }[] }
  res: ServerResponse
}
const onlyReport = process.argv[3] === 'L'
let waiting: HeldReport[] = []
let closes = false

function flush(): void {
  const batch = waiting
  waiting = []
  begin.run()
  const answers = batch.map(({ agent, text, report }) => {
    putReport.run(agent, Date.now(), text)
    if (onlyReport) return '{"commands":[],"interval":30}'
    for (const run of report.runs ?? []) putRun.run(agent, run.id, JSON.stringify(run))
    for (const ack of report.acks ?? []) settle.run(ack.id, agent)
    return JSON.stringify({ commands: claim.all(agent), interval: 30 })
  })
  commit.run()
  for (const [i, { res }] of batch.entries()) {
    const answer = answers[i] ?? ''
    res.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(answer.length)])
    res.end(answer)
  }
}

/**
 * The milliseconds in which clients must send their headers. A measurement can shorten the time through the
 * environment.
 */
const headersTimeout = Number(process.env.SVC_BENCH_HEADERS ?? 60_000)
const server = createServer({ headersTimeout, connectionsCheckingInterval: headersTimeout / 5 }, (req, res) => {
  closes = !res.shouldKeepAlive
  const agent = agents.get(hash(req.headers.authorization?.slice(7) ?? ''))
  if (agent === undefined) return void res.writeHead(401).end()
  const chunks: Buffer[] = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => {
    const text = Buffer.concat(chunks).toString()
    if (waiting.push({ agent, text, report: JSON.parse(text), res }) === 1) wait()
  })
})
/**
 * Commits the waiting reports at the end of a turn of the event loop. If each report comes on a new connection, the
 * commit waits for a millisecond, since otherwise every transaction would have only one report.
 */
const wait = () => (closes ? setTimeout(flush, 1) : setImmediate(flush))
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.stdin.on('end', () => process.exit(0)).resume()
