import { Button } from '@mantine/core'
import type { MachineChange } from '@svc/api'
import type { Setting, SettingValue } from '@svc/protocol'
import { useId } from 'react'
import { fromLocalTime } from '../../ui/forms/local-time.ts'
import { exactTime, Text } from '../../ui/index.ts'
import { DottedParts, Tone } from '../../ui/parts.tsx'
import type { Draft } from '../parts/drafts.ts'
import { commandStateWords } from '../parts/life.ts'
import { MachineChangeNote } from '../parts/MachineChangeNote.tsx'
import { type RawValue, rawValueOf } from '../parts/raw.ts'
import { SettingInput } from '../parts/SettingInput.tsx'
import { boundsText, nameOf, valueText } from '../parts/setting-words.ts'
import { isDraftOutdated } from './form.ts'
import type { PendingSetting } from './pending.ts'

interface SettingRowProps {
  setting: Setting
  reported: SettingValue | undefined
  /** The default in the agent's blueprint; undefined if there is none, or if the page does not know it. */
  defaultValue: SettingValue | undefined
  /**
   * The change made on the agent's machine that gave the setting its present value; undefined if the value was not set
   * there.
   */
  byMachine: MachineChange | undefined
  draft: Draft | undefined
  pending: PendingSetting | undefined
  wrong: string | undefined
  /**
   * True if the person has tried to send the form. Only then does the form mark the input of a number that the person
   * has emptied. The form marks all other errors at once.
   */
  tried: boolean
  locked: boolean
  onChange: (raw: RawValue) => void
  onReset: () => void
}

/** Shows one setting: its name, input, bounds and help, and notes such as the reported value below a changed one. */
export function SettingRow(props: SettingRowProps) {
  const { setting, reported, defaultValue, draft, wrong, tried, locked, onChange } = props
  const id = useId()
  const raw = draft ? draft.raw : rawValueOf(setting, reported)
  const message = wrong !== undefined && (tried || draft?.raw !== '') ? wrong : undefined
  return (
    <li className="ag-setting" data-changed={draft !== undefined} data-type={setting.type}>
      <Name id={id} setting={setting} defaultValue={defaultValue} />
      <div className="ag-setting-value">
        <SettingInput
          id={id}
          setting={setting}
          raw={raw}
          locked={locked}
          invalid={message !== undefined}
          describedBy={`${id}-help ${id}-note`}
          onChange={onChange}
        />
      </div>
      <TakeBack {...props} raw={raw} />
      <div id={`${id}-note`} className="ag-setting-note" aria-live="polite">
        <Notes {...props} message={message} />
      </div>
    </li>
  )
}

function Name({ id, setting, defaultValue }: Pick<SettingRowProps, 'setting' | 'defaultValue'> & { id: string }) {
  const bounds = boundsText(setting)
  return (
    <div className="ag-setting-name">
      <label htmlFor={id} id={`${id}-label`}>
        <Text>{nameOf(setting)}</Text>
      </label>
      <div id={`${id}-help`} className="ag-quiet">
        {setting.help && (
          <p>
            <Text lines>{setting.help}</Text>
          </p>
        )}
        <p>
          <DottedParts
            parts={[
              bounds && `Allowed: ${bounds}`,
              defaultValue !== undefined && (
                <>
                  Default: <Text>{valueText(setting, defaultValue)}</Text>
                </>
              ),
            ]}
          />
        </p>
      </div>
    </div>
  )
}

/** A button that removes the draft of a setting. Without a draft it puts the default into the input, or clears it. */
function TakeBack({
  setting,
  defaultValue,
  draft,
  raw,
  locked,
  onChange,
  onReset,
}: SettingRowProps & { raw: RawValue }) {
  const first = defaultValue === undefined ? null : rawValueOf(setting, defaultValue)
  if (locked || (!draft && raw === first)) return null
  const word = draft ? 'Undo' : defaultValue === undefined ? 'Clear' : 'Reset to default'
  const label = draft ? 'Undo the change of' : defaultValue === undefined ? 'Clear' : 'Reset to default:'
  return (
    <Button
      className="ag-setting-back"
      variant="subtle"
      size="compact-sm"
      aria-label={`${label} ${nameOf(setting)}`}
      onClick={() => (draft ? onReset() : onChange(first))}
    >
      {word}
    </Button>
  )
}

/** The chosen time in the format of this page. The browser's input shows it in the format of its own language. */
const timeWords = (raw: RawValue): string => {
  const seconds = typeof raw === 'string' ? fromLocalTime(raw) : undefined
  return seconds === undefined ? 'not set' : exactTime(seconds * 1000)
}

/** Notes below the value of a setting: errors, the reported value, changes made on the machine, and pending changes. */
function Notes({
  setting,
  reported,
  byMachine,
  draft,
  pending,
  message,
}: SettingRowProps & { message: string | undefined }) {
  const unfit = !draft && reported !== undefined && reported !== null && rawValueOf(setting, reported) === null
  return (
    <>
      {setting.type === 'datetime' && (
        <span className="ag-quiet">{timeWords(draft ? draft.raw : rawValueOf(setting, reported))}</span>
      )}
      {message !== undefined && (
        <span className="ag-wrong">
          {nameOf(setting)} {message}.
        </span>
      )}
      {draft && isDraftOutdated(draft, reported) && (
        <span className="ag-moved">
          Changed on the machine meanwhile, from <Text>{valueText(setting, draft.base)}</Text>.
        </span>
      )}
      {draft && (
        <span className="ag-quiet">
          The agent reports <Text>{valueText(setting, reported)}</Text>.
        </span>
      )}
      {unfit && (
        <span className="ag-quiet">
          The agent reports <Text>{valueText(setting, reported)}</Text>, which its own settings do not allow.
        </span>
      )}
      <MachineChangeNote change={byMachine}>
        Changed on the machine from <Text>{valueText(setting, byMachine?.before)}</Text>
      </MachineChangeNote>
      {pending && (
        <span className="ag-quiet">
          <Tone tone="waiting">{commandStateWords(pending.command).word}</Tone> requested:{' '}
          <Text>{valueText(setting, pending.value)}</Text>
        </span>
      )}
    </>
  )
}
