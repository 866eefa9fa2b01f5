import { Button, Group } from '@mantine/core'
import { IconAdjustments } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { commandsQuery } from '../../../queries.ts'
import { count } from '../../../ui/format.ts'
import { Empty, Text } from '../../../ui/index.ts'
import { Section, WhyButton } from '../../../ui/parts.tsx'
import { type Agent, adminsOnly } from '../parts/agent.ts'
import { settingByMachine } from '../parts/machine.ts'
import { minutesToAnswer } from '../parts/press.ts'
import { changesOf, draftsOf, groupsOf, reportedOf, withDraft, withoutDraft } from './form.ts'
import { LastAnswer } from './LastAnswer.tsx'
import { lastSet, pendingSettings } from './pending.ts'
import { SettingRow } from './SettingRow.tsx'
import './settings.css'

/** The form for the agent's schema (2.4). The agent owns the values; the form sends a command to change them. */
export default function SettingsTab({ agent }: { agent: Agent }) {
  const { slug, page, press } = agent
  const { drafts, setDrafts, tried, setTried, discard } = agent.settings
  const settings = page.report?.settings
  const [sending, setSending] = useState(false)
  const { data: ledger } = useQuery(commandsQuery(slug, page.name))
  if (!settings?.schema || settings.schema.length === 0)
    return <Empty icon={IconAdjustments} title="The agent offers no settings" order={2} />

  const pending = pendingSettings(page.open)
  const { changes, wrong } = changesOf(settings, drafts)
  const changed = Object.keys(changes).length
  const faults = Object.keys(wrong).length
  const send = async (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!page.canAct || faults > 0 || changed === 0) return
    setSending(true)
    try {
      await press.send({ type: 'set', payload: { ...changes } })
      discard()
    } catch {
      // The reason is on the page. Typed values stay.
    } finally {
      setSending(false)
    }
  }
  return (
    <form onSubmit={(event) => void send(event)} noValidate className="ag-settings" aria-label="Settings">
      <LastAnswer
        command={lastSet(ledger?.rows ?? [])}
        schema={settings.schema}
        onEdit={page.canAct ? (values) => setDrafts(draftsOf(settings, values)) : undefined}
      />
      {groupsOf(settings.schema).map((group) => (
        <Section key={group.name} title={group.name === null ? 'Settings' : <Text>{group.name}</Text>} flush>
          <ul className="ag-setting-list">
            {group.settings.map((setting) => (
              <SettingRow
                key={setting.key}
                setting={setting}
                reported={reportedOf(settings, setting.key)}
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
      <Group className="ag-settings-end" data-changed={Object.keys(drafts).length > 0} justify="flex-end" gap="sm">
        <span className="ag-quiet" role="status">
          {faults > 0
            ? `${count(faults, 'value is', 'values are')} out of range`
            : changed > 0
              ? `${count(changed, 'change')} to send`
              : ''}
        </span>
        {Object.keys(drafts).length > 0 && (
          <Button variant="default" onClick={discard}>
            Discard
          </Button>
        )}
        <WhyButton
          type="submit"
          loading={sending}
          onClick={() => undefined}
          why={!page.canAct ? adminsOnly : changed === 0 && faults === 0 ? 'No changes' : null}
          note={
            agent.silent
              ? `The agent is offline. The change expires if it does not report within ${minutesToAnswer} minutes.`
              : null
          }
        >
          Send changes
        </WhyButton>
      </Group>
    </form>
  )
}
