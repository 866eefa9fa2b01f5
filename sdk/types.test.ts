/** A program in TypeScript that uses svc-status.mjs with its types, each of them once. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { type Panel, Status, type WaitEnd } from './node/svc-status.mjs'

test('the types fit the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sdk-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const status = new Status(pathToFileURL(folder))
  for (const level of ['ok', 'info', 'warn', 'bad'] as const) status[level]('label', new Error('detail'))
  status.health('disk', 'ok')
  status.gauge('queue', 3, 5n, 'long')
  const panels: Panel[] = [
    { type: 'list', title: 'a', items: [{ title: 'b', url: 'https://a.example', meta: 2, badge: 'c', level: 'bad' }] },
    { type: 'table', title: 'd', columns: ['e'], rows: [[null, 1, { text: 'f', url: 'https://a.example' }]] },
    { type: 'kv', title: 'g', items: [{ label: 'h', value: 4 }] },
    { type: 'text', title: 'i', lines: ['j'] },
    // @ts-expect-error: a panel has a title
    { type: 'text', lines: ['k'] },
  ]
  for (const panel of panels.slice(0, 4)) status.panel(panel)
  const run = status.run('read', 'Inbox')
  run.costUsd += 0.5
  run.outputTokens += 10
  run.models.large = 0.5
  run.end()
  const why: WaitEnd = await status.wait(0)
  expect([why, status.paused, status.takeRunNow(), status.settings]).toEqual(['time', false, false, {}])
  const { state, health, gauges, panels: shown, runs } = JSON.parse(readFileSync(join(folder, 'status.json'), 'utf8'))
  expect([state, health, gauges, shown.length, runs]).toMatchObject([
    { level: 'bad', label: 'label', detail: 'detail' },
    [{ name: 'disk', level: 'ok' }],
    [{ name: 'queue', used: 3, mark: 5, detail: 'long' }],
    4,
    [{ id: run.id, kind: 'read', status: 'ok', cost_usd: 0.5, output_tokens: 10, models: { large: 0.5 } }],
  ])
  expect(new Status(folder)).toBe(status)
})
