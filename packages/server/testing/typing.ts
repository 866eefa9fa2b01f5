/** Runs command lines of `svc-server` in the process of a test, in the same way as the running service runs them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Alert, judgeRule } from '../src/alerts/rules/judge.ts'
import { defaultRule } from '../src/alerts/rules/rules.ts'
import { scopeOf } from '../src/alerts/scope.ts'
import { insertAlert } from '../src/alerts/store.ts'
import { commands } from '../src/operator/commands/all.ts'
import { type OperatorCommand, printedValue } from '../src/operator/shared/command.ts'
import type { ServiceParts } from '../src/operator/shared/request.ts'
import { runOperatorCommand } from '../src/operator/socket/socket.ts'
import type { Store } from '../src/platform/db/open.ts'
import { commandHelps } from '../src/service/cli/main.ts'
import { chooseCommand } from '../src/service/cli/program.ts'
import { newTestWorkspace, type TestWorkspace } from './test-workspace.ts'

/** The command line options of a webhook channel. No test sends anything to its address. */
export const hook = ['--kind', 'webhook', '--url', 'https://example.org/hook']

/**
 * Makes a workspace whose service may send messages to this machine, and returns functions that run command lines of
 * `svc-server` in it.
 */
export async function typing(store: Store, { smtpUrl }: { smtpUrl?: string } = {}) {
  const w = await newTestWorkspace(store)
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-commands-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const mail = { smtpUrl, mailFrom: 'svc@example.org' }
  const config = { baseUrl: 'http://localhost', dataDir, outboundAllow: ['127.0.0.0/8'], ...mail }
  const live = { alertsChanged: () => {}, listChanged: () => {} }
  const service = { store, live, now: w.clock.now, config } as unknown as ServiceParts
  const perform = async (argv: string[], input: string, json: boolean) => {
    const chosen = chooseCommand(commandHelps, argv, { version: '0', out: () => {}, err: () => {} })
    if (!chosen) throw new Error('This is no command.')
    const outcome = await runOperatorCommand(chosen.name, { ...chosen.request, input }, { ...service, isAlone: true })
    if (!outcome.ok) return `${outcome.kind}: ${outcome.message}`
    return printedValue(commands[chosen.name] as OperatorCommand, outcome.value, json)
  }
  /** The text that a command line prints without `--json`, or why it was refused. */
  const said = (typed: string, more: string[] = [], input = '') => perform([...typed.split(' '), ...more], input, false)
  /** The value that a command line prints with `--json`, or why it was refused. */
  const json = async (typed: string, more: string[] = [], input = '') => {
    const out = await perform([...typed.split(' '), ...more], input, true)
    return /^[[{]/.test(out) ? JSON.parse(out) : out
  }
  return { w, said, json }
}

interface OpenedAlert {
  id: string
  name: string
  kind?: 'agent' | 'service'
  /**
   * The scope of the alert: a workspace, or the scope of the service itself. The default is the workspace of the test.
   */
  scope?: { id: string }
  /** The fields in which the alert differs from an alert that has just opened. */
  alert?: Partial<Alert>
  /** The health item of the agent that the alert is about. */
  item?: string
}

/**
 * Inserts an open alert and returns its id. The alert is of the rule `bad` or `item` if it is about an agent, and of
 * the rule `service` if it is about the service itself.
 */
export async function openAlert(
  w: TestWorkspace,
  { id, name, kind = 'agent', scope = w.workspace, alert: more, item }: OpenedAlert,
) {
  const now = w.clock.now()
  const rule = kind !== 'agent' ? 'service' : item === undefined ? 'bad' : 'item'
  const { alert } = judgeRule({ ...defaultRule(rule), after: 0 }, { is: 'holds' }, undefined, { now, muted: false })
  if (!alert) throw new Error('No alert opened.')
  const about = { kind, id, name, ...(item !== undefined && { item }) } as const
  const row = await insertAlert(w.store.db, { scope: scopeOf(scope), rule, about }, { ...alert, ...more }, now)
  return row?.id ?? ''
}
