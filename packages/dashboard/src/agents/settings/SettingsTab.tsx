import { Button, Group, Loader } from '@mantine/core'
import type { Setting, Settings, SettingValue, SettingValues } from '@svc/protocol'
import { IconAdjustments } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { read } from '../../data/queries.ts'
import { Empty, Text, Time } from '../../ui/index.ts'
import { Section, Tone, WhyButton } from '../../ui/parts.tsx'
import { count } from '../../ui/time/format.ts'
import type { Agent } from '../parts/agent.ts'
import { settingByMachine } from '../parts/machine.ts'
import { minutesToAnswer } from '../parts/press.ts'
import { draftsOf, formChangesOf, reportedValueOf, settingGroupsOf, withDraft, withoutDraft } from './form.ts'
import { lastSetCommand, pendingSettings } from './pending.ts'
import { SettingRow } from './SettingRow.tsx'
import './settings.css'
import type { ShownCommand } from '@svc/api'
import { CommandTitle } from '../commands/CommandTitle.tsx'
import { commandStateWords } from '../parts/life.ts'

/**
 * The form for the settings that the agent reports (2.4). The agent owns the values; the form sends a command to change
 * them.
 */
export default function SettingsTab({ agent }: { agent: Agent }) {
  const settings = agent.page.report?.settings
  if (!settings?.schema || settings.schema.length === 0)
    return <Empty icon={IconAdjustments} title="The agent offers no settings" order={2} help="page#settings" />
  return <Form agent={agent} settings={settings} schema={settings.schema} />
}

interface FormProps {
  agent: Agent
  settings: Settings
  schema: readonly Setting[]
}

function Form({ agent, settings, schema }: FormProps) {
  const { slug, page } = agent
  const { drafts, setDrafts, tried } = agent.settings
  const { data: ledger } = useQuery(
    read('GET /w/:slug/agents/:name/commands', { slug, name: page.name }, { offset: 0, limit: 50 }),
  )
  const pending = pendingSettings(page.open)
  const { changes, wrong } = formChangesOf(settings, drafts)
  const changed = Object.keys(changes).length
  const faults = Object.keys(wrong).length
  const allowed = page.canAct && faults === 0 && changed > 0
  const { sending, send } = useSend(agent, allowed ? changes : undefined)
  const defaults = useDefaults(agent)
  if (defaults === undefined) return <Loader size="sm" aria-label="Loading" />
  return (
    <form onSubmit={(event) => void send(event)} noValidate className="ag-settings" aria-label="Settings">
      <p className="ag-quiet">
        {page.canAct
          ? 'Change values here, then send them. The agent takes all of them or none, with its next report.'
          : 'Only admins of this workspace can change settings.'}
      </p>
      <LastAnswer
        command={lastSetCommand(ledger?.rows ?? [], page.open)}
        schema={schema}
        onEdit={page.canAct ? (values) => setDrafts(draftsOf(settings, values)) : undefined}
      />
      {settingGroupsOf(schema).map((group) => (
        <Section key={group.name} title={group.name === null ? 'Settings' : <Text>{group.name}</Text>} flush>
          <ul className="svc-list">
            {group.settings.map((setting) => (
              <SettingRow
                key={setting.key}
                setting={setting}
                reported={reportedValueOf(settings, setting.key)}
                defaultValue={defaults.get(setting.key)}
                byMachine={settingByMachine(page, setting.key)}
                draft={Object.hasOwn(drafts, setting.key) ? drafts[setting.key] : undefined}
                pending={pending.get(setting.key)}
                wrong={wrong[setting.key]}
                tried={tried}
                locked={!page.canAct}
                onChange={(raw) => setDrafts((before) => withDraft(before, settings, setting, raw))}
                onReset={() => setDrafts((before) => withoutDraft(before, setting.key))}
              />
            ))}
          </ul>
        </Section>
      ))}
      <End agent={agent} faults={faults} changed={changed} sending={sending} />
    </form>
  )
}

/**
 * Returns the defaults of the settings by key, from the manifest of the agent's blueprint version; empty if there is no
 * manifest or loading it fails. Undefined while it loads: the form waits, since late defaults would move its inputs.
 */
function useDefaults({ slug, page }: Agent): ReadonlyMap<string, SettingValue> | undefined {
  const { blueprint, versions } = page
  const version = versions.running ?? versions.installed
  const { data, isLoading, failureCount } = useQuery({
    ...read('GET /w/:slug/blueprints/:blueprint/versions/:version', {
      slug,
      blueprint: blueprint ?? '',
      version: version ?? '',
    }),
    enabled: blueprint !== null && version !== null,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  })
  return useMemo(() => {
    if (isLoading && failureCount === 0) return undefined
    return new Map(
      (data?.manifest.settings ?? []).flatMap(({ key, default: value }) =>
        value === undefined || value === null ? [] : [[key, value]],
      ),
    )
  }, [isLoading, failureCount, data])
}

/**
 * Returns a function that sends the changed values in a `set` command. `changes` is undefined while nothing may be
 * sent; the function then only marks wrong values.
 */
function useSend({ press, settings }: Agent, changes: SettingValues | undefined) {
  const [sending, setSending] = useState(false)
  const send = async (event: FormEvent) => {
    event.preventDefault()
    settings.setTried(true)
    if (changes === undefined) return
    setSending(true)
    try {
      await press.send({ type: 'set', payload: { ...changes } })
      settings.discard()
    } catch {
      // The page already shows why the command was not sent, and the form keeps the values that the person typed.
    } finally {
      setSending(false)
    }
  }
  return { sending, send }
}

interface EndProps {
  agent: Agent
  /** The number of values in the form that are not valid. */
  faults: number
  changed: number
  sending: boolean
}

/** The end of the form: a summary of the changes and errors, and the buttons to discard or send the changes. */
function End({ agent, faults, changed, sending }: EndProps) {
  const { drafts, discard } = agent.settings
  const touched = Object.keys(drafts).length > 0
  // This part stays after the first change: its button may have the focus when the changes have been sent.
  const [isShown, setShown] = useState(touched)
  if (touched && !isShown) setShown(true)
  if (!agent.page.canAct || !isShown) return null
  return (
    <Group className="ag-settings-end" data-changed={touched} justify="flex-end" gap="sm">
      <span className="ag-quiet" role="status">
        {summaryOf(faults, changed)}
      </span>
      {touched && (
        <Button variant="default" onClick={discard}>
          Discard
        </Button>
      )}
      <WhyButton
        type="submit"
        loading={sending}
        onClick={() => undefined}
        why={changed === 0 && faults === 0 ? 'No changes' : null}
        note={
          agent.offline
            ? `The agent is offline. The change expires if it does not report within ${minutesToAnswer} minutes.`
            : null
        }
      >
        Send changes
      </WhyButton>
    </Group>
  )
}

function summaryOf(faults: number, changed: number): string {
  if (faults > 0) return `${count(faults, 'value is', 'values are')} out of range`
  return changed > 0 ? `${count(changed, 'change')} to send` : ''
}

interface LastAnswerProps {
  command: ShownCommand | undefined
  schema: readonly Setting[]
  /**
   * Called when the person presses "Edit it again", with the values of the shown command; undefined if the person may
   * not send commands.
   */
  onEdit: ((values: SettingValues) => void) | undefined
}

/**
 * Shows, above the settings form, how the newest `set` command ended, and the message about it if there is one. The
 * message is the agent's or, if the agent no longer offered the command, the service's.
 */
function LastAnswer({ command, schema, onEdit }: LastAnswerProps) {
  if (command === undefined) return null
  const { word, tone, means } = commandStateWords(command)
  const at = command.answeredAt ?? command.failedAt ?? command.createdAt
  return (
    <div className="ag-answer" data-tone={tone} role="status">
      <Tone tone={tone} title={means}>
        {word}
      </Tone>
      <CommandTitle command={command} schema={schema} />
      {command.message && (
        <q className="ag-words">
          <Text lines>{command.message}</Text>
        </q>
      )}
      <span className="ag-quiet">
        <Time at={at} />
      </span>
      {onEdit && tone !== 'good' && !command.short && (
        <Button variant="default" size="compact-sm" onClick={() => onEdit(command.payload as SettingValues)}>
          Edit it again
        </Button>
      )}
    </div>
  )
}
