/**
 * The tokens and reports of the agents in a measurement. They are the same for every server and for the load generator.
 */
import { createHash } from 'node:crypto'

/**
 * The number of agents that the limit servers and the load generator know. A measurement that starts one of these as a
 * process sets the number in the environment.
 */
export const fleetSize = Number(process.env.SVC_BENCH_AGENTS ?? 10_000)

export const tokenOf = (agent: number): string =>
  `svc_agt_${createHash('sha256').update(`bench ${agent}`).digest('base64url')}`

/**
 * The n-th report of an agent: about 3 KB, or more with panels. The state, a gauge and the first of three runs differ
 * in every report, since a row that has not changed would not be written again. The other two runs repeat byte for
 * byte.
 */
export function bodyOf(agent: number, n: number, kilobytes = 3): string {
  const started = 1_790_000_000 + agent
  const run = (id: string, seconds: number, tokens: number) =>
    `{"id":"${id}","started":${started - seconds},"ended":${started - seconds + 240},"kind":"triage","status":"done",` +
    `"cost_usd":${tokens / 100_000},"output_tokens":${tokens},"models":{"large-2":${tokens / 100_000}},` +
    `"subjects":[{"title":"Mail of agent ${agent} about the meeting","url":"https://mail.example/m/${agent}","share":1}],"log":"${id}"}`
  return (
    `{"protocol":1,"agent":{"version":"1.4.0","host":"host-${agent}"},"state":{"level":"ok","label":"Working","detail":"Sorting the mail of this morning, ${n} of ${n + 37} done"},` +
    `"gauges":[{"name":"Tokens today","used":${(n % 100) / 100},"mark":0.8,"detail":"${n} k of 1 M"}],` +
    `"runs":[${run('run-0', 0, 2000 + n)},${run('run-1', 1800, 2100)},${run('run-2', 3600, 1900)}],${constantOf(kilobytes)}}`
  )
}

const item = (i: number) =>
  `{"title":"Re: Meeting about subject number ${i}","url":"https://mail.example/d/${i}","meta":"${i} h","badge":"draft","level":"info"}`

/**
 * The part of a report that is the same in every report. It has so many panels that a whole report has about
 * `kilobytes` KB, and the panels are within the limits of section 8.
 */
function constantOf(kilobytes: number): string {
  let made = constants.get(kilobytes)
  if (made === undefined) {
    const items = Math.max(0, Math.round(((kilobytes - 3) * 1024) / item(100).length))
    const panels = Array.from({ length: Math.ceil(items / 200) }, (_, p) => panelOf(p, Math.min(200, items - p * 200)))
    made = [...constant, `"panels":[${[...smallPanels, ...panels].join(',')}]`].join(',')
    constants.set(kilobytes, made)
  }
  return made
}
const constants = new Map<number, string>()
const panelOf = (p: number, items: number) =>
  `{"type":"list","title":"More ${p}","items":[${Array.from({ length: items }, (_, i) => item(100 + i)).join(',')}]}`

const smallPanels = [
  `{"type":"list","title":"Drafts that wait","items":[${Array.from({ length: 6 }, (_, i) => item(i)).join(',')}]}`,
  '{"type":"kv","title":"Today","items":[{"label":"Sorted","value":"51"}]}',
]
const constant = [
  '"health":[{"name":"Mailbox","level":"ok","detail":"read 20 s ago"},{"name":"Disk","level":"ok","detail":"41 % used on /var"},{"name":"Process","level":"ok","detail":"running for 3 h"}]',
  '"active":[{"kind":"triage","model":"large-2","started":1790000000,"steps":14,"detail":"Reading the attachments","subjects":[{"title":"Invoice 2231","url":"https://mail.example/m/2231","share":0.5}],"log":"work"}]',
  '"settings":{"schema":[{"key":"every","label":"Minutes between runs","type":"number","min":1,"max":120,"help":"How often","group":"Schedule"},{"key":"tone","label":"Tone","type":"select","options":[{"value":"kind","label":"Kind"},{"value":"brief","label":"Brief"}]}],"values":{"every":10,"tone":null}}',
  '"controls":["pause","resume","run_now"]',
]
